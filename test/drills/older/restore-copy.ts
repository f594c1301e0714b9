import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BENCH_SETTINGS } from '../../../bench/lifecycle/jobs.ts';
import type { UploadRecord } from '../../e2e/api.ts';
import { processTree } from '../../e2e/processes.ts';
import type { WebhookReceiver } from '../../e2e/webhook-receiver.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { FINISH_WITHIN_MS, type Harm, noHarm } from '../proof/proof.ts';
import { createStallMeter } from '../proof/stall.ts';
import { listenTo, startTraffic } from '../proof/traffic.ts';
import { placeOf, readAll, UPLOADS } from '../matrix/embedded-records.ts';

/** `snapshot`: at rest in a moment, as by a snapshot of the file system. `files`: file by file, while they change. */
export type Copying = 'snapshot' | 'files';

export interface Restored extends Harm {
  /** Uploads that the copy has */
  known: number;
  /** Uploads that were accepted after it, and are lost with the machine */
  newer: number;
  /** The longest time without an end after the start, while work was open, seconds */
  stallSeconds: number;
}

export interface RestoreTimes {
  /** Work before the copy, and between the copy and the loss of the machine, milliseconds */
  beforeMs: number;
  afterMs: number;
  /** Lifecycles that begin in a second */
  perSecond: number;
}

/**
 * Copies the data folder of an instance that works, loses the instance with its folder, starts the copy, and says what is missing of
 * what had ended before the copy began.
 */
export async function restoreCopy(way: Copying, receiver: WebhookReceiver, times: RestoreTimes): Promise<Restored> {
  await using folder = await temporaryFolder();
  const [dataDir, copy] = [join(folder.path, 'data'), join(folder.path, 'copy')];
  const env = { ...BENCH_SETTINGS, BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}` };
  await using first = await startInstance({ dataDir, env });
  const { apiKey, ports } = first;
  const place = placeOf(first);
  await listenTo(place, receiver);
  const traffic = startTraffic({ place, receiver, row: 'restore' }, times.perSecond);
  await delay(times.beforeMs);
  const before = new Set(traffic.lives.filter(traffic.isTold).map(({ uploadId }) => uploadId!));
  await copyRunning(first, way, copy);
  await delay(times.afterMs);
  await traffic.stop();
  await first.killTree();
  await rm(dataDir, { recursive: true });
  await cp(copy, dataDir, { recursive: true });

  await using instance = await startInstance({ dataDir, env, apiKey, ports });
  const harm = noHarm();
  const { uploads, stallSeconds } = await untilEnded(instance);
  const known = new Set(uploads.map(({ id }) => id));
  for (const id of before) if (!known.has(id)) harm.lost.push(`${id}: ended before the copy, and has no record`);
  for (const upload of uploads) harm.lost.push(...(await missingOf(upload, way === 'files' && !before.has(upload.id))));
  const charged = uploads.flatMap(({ enhancements }) => enhancements.map((each) => each.chargedCredits ?? 0));
  const expected = charged.reduce((sum, each) => sum + each, 0);
  const { used, reserved } = await instance.api.credits();
  if (used !== expected) harm.charged.push(`${used} credits are used, and ${expected} charged in the records`);
  if (reserved !== 0) harm.charged.push(`${reserved} credits are still reserved`);
  harm.untold.push(...(await untoldOf(uploads, receiver)));
  const newer = traffic.lives.filter(({ uploadId }) => uploadId !== undefined && !known.has(uploadId)).length;
  return { ...harm, known: known.size, newer, stallSeconds };
}

async function copyRunning({ pid, dataDir }: Instance, way: Copying, copy: string): Promise<void> {
  const processes = way === 'snapshot' ? processTree(pid) : [];
  for (const each of processes) process.kill(each.pid, 'SIGSTOP');
  await cp(dataDir, copy, { recursive: true, filter: isKept });
  for (const each of processes) process.kill(each.pid, 'SIGCONT');
}

/** Sockets cannot be copied, and locks belong to processes. */
const isKept = (path: string): boolean => !/\/(operator|locks|scratch|scratch-previews)$/.test(path);

const ENDED = ['FINISHED', 'ERROR', 'CANCELLED'];
const isEnded = ({ status, subStatus, enhancements }: UploadRecord): boolean =>
  status === 'UPLOAD_DELETED' ||
  (!['UPLOAD_PENDING', 'UPLOAD_PROCESSING'].includes(status) &&
    subStatus !== 'METADATA_ANALYZING' &&
    enhancements.every((each) => ENDED.includes(each.status)));

/** Repeats the approvals that the copy lacks, and waits until nothing is open. */
async function untilEnded(instance: Instance): Promise<{ uploads: UploadRecord[]; stallSeconds: number }> {
  const meter = createStallMeter();
  const approved = new Set<string>();
  const uploads = await until(
    async () => {
      const read = await readAll<UploadRecord>(instance, UPLOADS);
      const waiting = (read ?? []).flatMap(({ enhancements }) => enhancements);
      for (const { id, status } of waiting) {
        if (status !== 'AWAITING_APPROVAL' || approved.has(id)) continue;
        const answer = await instance.api.call('POST', `/v1/enhancements/${id}/approve`).catch(() => undefined);
        if (answer?.status === 202) approved.add(id);
      }
      const ended = read?.filter(isEnded).length ?? 0;
      if (read !== undefined) meter.look({ ended, open: read.length - ended });
      return read;
    },
    (read) => read.every(isEnded),
    { pauseMs: 250, withinMs: FINISH_WITHIN_MS },
  );
  return { uploads, stallSeconds: meter.seconds };
}

/** @param mayLackOriginal of a copy file by file, whose records may be newer than its files */
async function missingOf({ id, status, enhancements }: UploadRecord, mayLackOriginal: boolean): Promise<string[]> {
  if (status === 'UPLOAD_DELETED') return [];
  const lost = status === 'UPLOAD_FINISHED' ? [] : [`${id}: ${status}`];
  for (const { id: own, status: state, errorCode, fullUrl } of enhancements) {
    if (mayLackOriginal && errorCode === 'ORIGINAL_MISSING') continue;
    const isThere = state === 'FINISHED' && (await fetch(fullUrl!)).status === 200;
    if (!isThere) lost.push(`${own}: ${state} ${errorCode ?? 'without its result'}`);
  }
  return lost;
}

/** Finished enhancements whose end no event has reported, before the copy or after it. */
async function untoldOf(uploads: readonly UploadRecord[], { deliveries }: WebhookReceiver): Promise<string[]> {
  const kept = uploads.filter(({ status }) => status !== 'UPLOAD_DELETED');
  const finished = kept.flatMap(({ enhancements }) => enhancements.filter(({ status }) => status === 'FINISHED'));
  const untold = (): string[] => {
    const reported = deliveries.filter(({ event, status }) => status < 300 && event.data['status'] === 'FINISHED');
    const told = new Set(reported.map(({ event }) => event.data['id']));
    return finished.filter(({ id }) => !told.has(id)).map(({ id }) => `${id}: no event for its end`);
  };
  await until(untold, ({ length }) => length === 0, { withinMs: FINISH_WITHIN_MS }).catch(() => undefined);
  return untold();
}
