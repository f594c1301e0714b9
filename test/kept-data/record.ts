import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runAsMain } from '../../scripts/process.mjs';
import { Burnish } from '../../packages/client/src/index.ts';
import { VERSION } from '../../src/runtime/version.ts';
import { createApi, type UploadRecord } from '../e2e/api.ts';
import { photo } from '../e2e/files.ts';
import { startInstance } from '../support/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { packFolder } from './archive.ts';
import { dropOldLog, KEPT_FOLDER, KEYS, type KeptFacts, readLedger, RECEIVER_PORT, SETTINGS } from './kept-instance.ts';

/**
 * `npm run record:data-folder`: makes an instance of this version with an upload in each wait, stops it, and keeps its data folder
 * for the test of later builds. A file of the same version is replaced. Most uploads have one picture, so that the archive is small.
 */

const DAYS_365 = 365;
const MONTH_SECONDS = 30 * 86_400;
/** Processes lock the folder, and a start makes these anew. */
const OF_THE_RUN = /^(locks|tmp|scratch)(\/|$)|\.(lock|pid|sock)$/;

/** Deliveries with a failed attempt that wait for another one. */
const toTried = ({ body }: { body: { items: { status: string; attempts: unknown[] }[] } }) => ({
  deliveries: body.items.filter(({ status, attempts }) => status === 'PENDING' && attempts.length > 0),
});

await runAsMain(async () => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const recordedAt = new Date().toISOString();
  const instance = await startInstance({ dataDir, apiKey: KEYS.BURNISH_BOOTSTRAP_API_KEY, env: SETTINGS });
  const { api, url } = instance;
  const operator = createApi(url, KEYS.BURNISH_OPERATOR_KEY);
  const headers = { authorization: `Bearer ${KEYS.BURNISH_OPERATOR_KEY}` };
  const made = await operator.call<{ account: { id: string }; apiKey: string }>('POST', '/v1/operator/accounts', {
    headers,
    body: { name: 'Poor', plan: 'BUSINESS', creditsPerPeriod: 0 },
  });
  const poor = { accountId: made.body.account.id, apiKey: made.body.apiKey };
  for (const by of [api, createApi(url, poor.apiKey)])
    await by.call('PATCH', '/v1/settings', { body: { uploadRetentionDays: DAYS_365 } });
  const key = await api.call<{ key: string }>('POST', '/v1/api-keys', { body: { name: 'Test', test: true } });
  const testKey = key.body.key;
  const send = async (seed: number, order: object, by = api): Promise<UploadRecord> =>
    (await by.upload(await photo(seed), { ...order })).body;

  const finished = await send(1, { enhancements: [{ upscalingFactor: 'X2' }] });
  const [enhancement] = (await api.settled(finished.id)).enhancements;
  const result = await (await fetch(enhancement!.fullUrl!)).arrayBuffer();
  const over = await send(1, { enhancements: [{ upscalingFactor: 'X2', sharpening: 0.1, maxCredits: 1 }] });
  await api.reached(over.enhancements[0]!.id, 'AWAITING_APPROVAL');
  const ofPoor = createApi(url, poor.apiKey);
  const unpaid = await send(1, { enhancements: [{ upscalingFactor: 'X2', creditWait: MONTH_SECONDS }] }, ofPoor);
  await ofPoor.reached(unpaid.enhancements[0]!.id, 'AWAITING_CREDITS');
  const ofTestAccount = await send(1, { enhancements: [{}] }, createApi(url, testKey));
  await createApi(url, testKey).settled(ofTestAccount.id);
  // Nobody listens there, so that the first attempt fails and the second waits.
  const webhookUrl = `http://127.0.0.1:${RECEIVER_PORT}/hook`;
  const awaitingDelivery = await send(1, { enhancements: [{}], webhookUrl });
  await api.settled(awaitingDelivery.id);

  const client = new Burnish({ baseUrl: url, apiKey: KEYS.BURNISH_BOOTSTRAP_API_KEY });
  const { id: batchId } = await client.batches.create({
    samples: 1,
    reference: 'kept',
    enhancements: [{ upscalingFactor: 'X2' }],
  });
  const parts = [await send(1, {}), await send(2, {}), await send(3, {})];
  for (const { id } of parts) await api.settled(id);
  await client.batches.add(
    batchId,
    parts.map(({ id }) => ({ uploadId: id, key: id })),
  );
  await client.batches.close(batchId);
  await until(
    () => client.batches.get(batchId),
    ({ status }) => status === 'APPROVAL_NEEDED',
  );
  const { deliveries } = await until(
    () => api.get<{ items: { status: string; attempts: unknown[] }[] }>('/v1/webhook-deliveries').then(toTried),
    ({ deliveries: all }) => all.length > 0,
  );
  if ((await instance.stop()) !== 0) throw new Error(`The instance failed:\n${instance.output()}`);

  const facts: KeptFacts = {
    recordedAt,
    testKey,
    poor,
    uploads: {
      finished: finished.id,
      awaitingApproval: over.id,
      awaitingCredits: unpaid.id,
      awaitingDelivery: awaitingDelivery.id,
      ofTestAccount: ofTestAccount.id,
    },
    resultHash: createHash('sha256').update(Buffer.from(result)).digest('hex'),
    batchId,
    ledger: await readLedger(dataDir),
  };
  await dropOldLog(dataDir);
  await packFolder(dataDir, join(KEPT_FOLDER, `${VERSION}.brotli`), (path) => OF_THE_RUN.test(path));
  await writeFile(join(KEPT_FOLDER, `${VERSION}.json`), `${JSON.stringify(facts, null, 2)}\n`);
  process.stdout.write(`Kept the data folder of ${VERSION}, with ${deliveries.length} waiting deliveries.\n`);
});
