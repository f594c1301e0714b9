import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BENCH_SETTINGS, inParallel } from '../../../bench/lifecycle/jobs.ts';
import type { UploadRecord } from '../../e2e/api.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { askUntilAnswered } from '../matrix/caller.ts';
import { placeOf, readAll, UPLOADS } from '../matrix/embedded-records.ts';
import { FINISH_WITHIN_MS, type Proof, type ProofOptions } from './proof.ts';
import { countRowsOfCopy, rowsAfter, type Sample, takeSample } from './sample.ts';
import { listenTo, startTraffic } from './traffic.ts';
import { DAYS_LATER, growth, leftovers, trendTables } from './trends.ts';

/** Samples of a run, and the shortest time between two, milliseconds. */
const [SAMPLES, SAMPLE_MS] = [120, 15_000];
/** Deletions at once. */
const DELETIONS = 10;

/**
 * Sends mixed work to one process with all parts embedded. Then it deletes all uploads, and counts their remaining rows and files, also
 * a week later.
 */
export async function proveSoak({ ms, perSecond, report }: ProofOptions): Promise<Proof> {
  await using folder = await temporaryFolder();
  await using receiver = await webhookReceiver();
  const dataDir = join(folder.path, 'data');
  const env = { ...BENCH_SETTINGS, BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}` };
  await using instance = await startInstance({ dataDir, env });
  const place = placeOf(instance);
  await listenTo(place, receiver);

  const begun = performance.now();
  const rows = { start: await countRowsOfCopy(instance), end: {}, deleted: {}, [`${DAYS_LATER} days later`]: {} };
  const samples: Sample[] = [await takeSample(instance, begun, 0)];
  const traffic = startTraffic({ place, receiver, row: 'soak' }, perSecond);
  while (performance.now() < begun + ms) {
    await delay(Math.max(SAMPLE_MS, ms / SAMPLES));
    const sample = await takeSample(instance, begun, traffic.lives.length);
    samples.push(sample);
    report(`${traffic.lives.length} begun, stall ${traffic.stallSeconds.toFixed(0)} s: ${JSON.stringify(sample)}`);
  }
  const harm = await traffic.judge();
  const { stallSeconds } = traffic;
  rows.end = await countRowsOfCopy(instance);
  const { used, reserved } = await instance.api.credits();
  if (reserved !== 0) harm.charged.push(`${reserved} credits are still reserved`);

  await deleteAll(instance);
  // The workflow of a deleted upload ends with its last delivery.
  const last = await until(
    () => takeSample(instance, begun, traffic.lives.length),
    ({ histories }) => histories.open === 0,
    { pauseMs: 1_000, withinMs: FINISH_WITHIN_MS },
  ).catch(() => takeSample(instance, begun, traffic.lives.length));
  rows.deleted = await countRowsOfCopy(instance);
  const code = await instance.stop();
  if (code !== 0) harm.others.push(`The instance ended with code ${code}.`);
  const later = await rowsAfter(DAYS_LATER, dataDir);
  rows[`${DAYS_LATER} days later`] = later;
  const files = [samples[0]!.sizes.files, last.sizes.files] as const;
  harm.others.push(...growth(samples), ...leftovers(rows.start, later, files, last.histories.open));
  return {
    ...harm,
    lifecycles: traffic.lives.length,
    stallSeconds,
    events: { credits: used, deletions: traffic.lives.length },
    details: trendTables(samples, rows),
  };
}

async function deleteAll(instance: Instance): Promise<void> {
  const { url, apiKey, api } = instance;
  const uploads = (await readAll<UploadRecord>(instance, UPLOADS)) ?? [];
  const ids = uploads.filter(({ status }) => status !== 'UPLOAD_DELETED').map(({ id }) => id);
  await inParallel(ids, DELETIONS, async (id) => {
    const path = `/v1/uploads/${id}`;
    await askUntilAnswered({ url: `${url}${path}`, apiKey, method: 'DELETE' }, performance.now() + FINISH_WITHIN_MS);
    await until(
      async () => (await api.get<UploadRecord>(path)).body.status,
      (state) => state === 'UPLOAD_DELETED',
      { pauseMs: 200 },
    );
  });
}
