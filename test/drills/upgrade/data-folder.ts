import { randomBytes } from 'node:crypto';
import { announce, complete, put } from '../../cluster/signed-put.ts';
import { createApi, type UploadRecord } from '../../e2e/api.ts';
import { pdfWithPhoto, photo } from '../../e2e/files.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { freePorts, startInstance } from '../../support/instance.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { servePictures } from '../batches/pictures.ts';
import { largePdf, SLOW, slowPhoto, TONE } from '../matrix/lives.ts';
import { poorAccount, startBatch } from './lives.ts';

export interface FolderVerdict {
  lifecycles: number;
  /** What is missing, failed, or charged more or less than once */
  faults: string[];
}

const AT_REST = { upscalingFactor: 'X2' };
const OVER_LIMIT = { upscalingFactor: 'X2', maxCredits: 1 };
const WITHIN_MS = 300_000;

/**
 * Kills an instance of a release with uploads in every state, starts this build with its data folder, and takes each lifecycle to
 * its end.
 * @param release program and first arguments
 */
export async function upgradeDataFolder(
  release: readonly string[],
  report: (sentence: string) => void,
): Promise<FolderVerdict> {
  await using folder = await temporaryFolder();
  await using receiver = await webhookReceiver();
  await using pictures = await servePictures();
  const operatorKey = randomBytes(24).toString('base64url');
  const ports = await freePorts();
  const options = {
    dataDir: folder.path,
    ports,
    env: {
      BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port},127.0.0.1:${pictures.port}`,
      BURNISH_CREDITS_PER_PERIOD: '100000',
      BURNISH_PLAN: 'BUSINESS',
      BURNISH_LOG_LEVEL: 'error',
      BURNISH_OPERATOR_KEY: operatorKey,
    },
  };
  // The first attempt of each event fails, so that its delivery waits for another one.
  receiver.answerWith(({ id }) => (receiver.deliveries.some(({ event }) => event.id === id) ? 204 : 503));
  const older = await startInstance({ ...options, program: release });
  const { apiKey } = older;
  const poor = await poorAccount(older, operatorKey);
  const send = async (file: Buffer, order?: object, more: object = {}, api = older.api): Promise<UploadRecord> =>
    (await api.upload(file, { ...(order && { enhancements: [order] }), ...more })).body;
  const webhookUrl = `${receiver.url}/hook`;

  const batch = await startBatch(older, pictures.port);
  const resting = await send(await photo(1));
  const approval = await send(await photo(2), OVER_LIMIT);
  const credits = await send(await photo(3), AT_REST, {}, poor.api);
  const files = [await photo(4), await photo(5)] as const;
  const awaited = await announce(older.api, files[0], 'image/jpeg', 'awaited');
  const arrived = await announce(older.api, files[1], 'image/jpeg', 'arrived');
  await put(arrived.uploadUrl, files[1], 'image/jpeg');
  await older.api.settled(resting.id);
  await older.api.reached(approval.enhancements[0]!.id, 'AWAITING_APPROVAL');
  await poor.api.reached(credits.enhancements[0]!.id, 'AWAITING_CREDITS');
  const working = [
    await send(await largePdf(), { targetResolution: 300, ...TONE }),
    await send(await slowPhoto(6), SLOW),
    await send(await slowPhoto(7), SLOW),
    await send(await pdfWithPhoto(480, 360, 8), {}, { webhookUrl }),
    await send(await photo(9), AT_REST, { webhookUrl }),
    await send(await photo(10), AT_REST, { webhookUrl }),
  ];
  await older.api.reached(working.at(-1)!.enhancements[0]!.id, 'FINISHED');
  await older.killTree();
  report('The instance of the release was killed.');

  await using newer = await startInstance({ ...options, apiKey });
  report('This build has started with its data folder.');
  const { api } = newer;
  const poorApi = createApi(newer.url, poor.apiKey);
  const insist = <T>(ask: () => Promise<T | undefined>): Promise<T> =>
    until(() => ask().catch(() => undefined), undefined, { withinMs: WITHIN_MS });
  const accepted = (path: string, body: object = {}): Promise<true> =>
    insist(async () => ((await api.call('POST', path, { body })).status < 300 ? true : undefined));
  await accepted(`/v1/uploads/${resting.id}/enhancements`, { enhancements: [AT_REST] });
  await accepted(`/v1/enhancements/${approval.enhancements[0]!.id}/approve`);
  await poor.topUp(100, 'upgrade');
  await put(awaited.uploadUrl, files[0], 'image/jpeg');
  for (const { id } of [awaited, arrived])
    await insist(async () => ((await complete(api, id)).status < 300 ? true : undefined));

  const faults: string[] = [];
  const lives = [resting, approval, credits, awaited, arrived, ...working];
  let charged = 0;
  for (const { id, originalFilename } of lives) {
    const own = id === credits.id ? poorApi : api;
    const ended = await insist(async () => {
      const { body } = await own.get<UploadRecord>(`/v1/uploads/${id}`);
      const statuses = body.enhancements.map(({ status }) => status);
      return statuses.length > 0 && statuses.every((each) => /FINISHED|ERROR|CANCELLED/.test(each)) ? body : undefined;
    });
    const [enhancement, ...others] = ended.enhancements;
    if (enhancement?.status !== 'FINISHED' || others.length > 0)
      faults.push(`${originalFilename}: ${JSON.stringify(ended.enhancements.map(({ status }) => status))}`);
    if (own === api) charged += enhancement?.chargedCredits ?? 0;
  }
  await batch();
  for (const { enhancements } of working.slice(3)) {
    const isEnd = ({ event: { data }, status }: (typeof receiver.deliveries)[number]): boolean =>
      status < 300 && data['id'] === enhancements[0]!.id && data['status'] === 'FINISHED';
    await insist(async () => (receiver.deliveries.some(isEnd) ? true : undefined)).catch(() =>
      faults.push(`${enhancements[0]!.id}: no event for its end`),
    );
    const ids = new Set(receiver.deliveries.filter(isEnd).map(({ event }) => event.id));
    if (ids.size > 1) faults.push(`${enhancements[0]!.id}: ${ids.size} events for its end`);
  }
  const ofBatch = await api.get<{ items: { chargedCredits: number | null; status: string }[] }>(
    '/v1/enhancements?limit=100',
  );
  const all = ofBatch.body.items.reduce((sum, each) => sum + (each.chargedCredits ?? 0), 0);
  const { used, reserved } = await api.credits();
  if (used !== all || reserved !== 0 || charged > all)
    faults.push(`${used} credits are used, ${reserved} reserved, and ${all} charged in the records`);
  return { lifecycles: lives.length + 20, faults };
}
