import { randomUUID } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import type { Readiness } from '../api/health.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { unpolledTaskQueues } from '../worker.ts';
import type { Ground } from './ground.ts';
import type { TemporalLink } from './temporal.ts';
import type { RunningWorkers } from './workers.ts';

/** Whoever asks waits a few seconds at most. */
const ANSWER_MS = 2_000;
/** Storage is written to for a look at it, so one look serves everybody for this long, in milliseconds. */
const STORAGE_LOOK_MS = 10_000;
/** Bytes that the disk of the data folder has to have left: the database and the files in transit need them. */
const DISK_FLOOR = 200_000_000;

const TEMPORAL_AWAY = ['Temporal does not answer.'];
const STORAGE_AWAY = ['Storage cannot be written and read.'];

type Look = () => Promise<string[]>;
type Parts = Pick<Ground, 'database' | 'dataDir'> & { lookAtStorage: Look };
type Client = TemporalLink['client'];

export const STARTING: Readiness = { ready: false, problems: ['The process is starting.'] };

/** Whether all that an upload needs is there, whichever process it is in: one sentence for each thing that is missing. */
export function gatewayReadiness(parts: Parts, client: Client, namespace: string, hosted: boolean): Promise<Readiness> {
  const queues = within(
    unpolledTaskQueues(client, namespace, hosted).then((unpolled) =>
      unpolled.map((queue) => `No worker polls the task queue ${queue}.`),
    ),
    TEMPORAL_AWAY,
  );
  return readinessBy([...partProblems(parts), queues]);
}

/** Whether this process can do its part, whatever others do. */
export function processReadiness(
  parts: Parts,
  { client }: { client: Client },
  workers: Pick<RunningWorkers, 'running'>,
): Promise<Readiness> {
  const systemInfo = () => client.workflowService.getSystemInfo({});
  const temporal = within(
    client.withDeadline(Date.now() + ANSWER_MS, systemInfo).then(() => []),
    TEMPORAL_AWAY,
  );
  const own = workers.running() ? [] : ['A worker of this process does not run.'];
  return readinessBy([Promise.resolve(own), ...partProblems(parts), temporal]);
}

/**
 * A look at storage as the lifecycle uses it: an object is written, read and removed.
 * @param now milliseconds of a clock that is never set back
 */
export function storageLook(store: Pick<ObjectStore, 'put' | 'get' | 'delete'>, now = () => performance.now()): Look {
  let last: { problems: Promise<string[]>; until: number } | undefined;
  return () => {
    if (last === undefined || now() >= last.until) {
      last = { problems: within(probe(store), STORAGE_AWAY), until: now() + STORAGE_LOOK_MS };
    }
    return last.problems;
  };
}

async function probe(store: Pick<ObjectStore, 'put' | 'get' | 'delete'>): Promise<string[]> {
  // A name for each look: gateways and workers that share a bucket look at the same time.
  const key = `readiness/${randomUUID()}`;
  const bytes = Buffer.from(key);
  async function* body(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  try {
    await store.put(key, body(), { maxBytes: bytes.byteLength });
    const read: Buffer[] = [];
    for await (const part of await store.get(key)) read.push(part as Buffer);
    return Buffer.concat(read).equals(bytes) ? [] : STORAGE_AWAY;
  } finally {
    await store.delete(key);
  }
}

function partProblems({ database, dataDir, lookAtStorage }: Parts): Promise<string[]>[] {
  return [
    within(
      database.ping().then(() => []),
      ['The database does not answer.'],
    ),
    lookAtStorage(),
    within(diskProblems(dataDir), ['The disk of the data folder cannot be read.']),
  ];
}

async function diskProblems(dataDir: string): Promise<string[]> {
  const { bavail, bsize } = await statfs(dataDir);
  const megabytes = DISK_FLOOR / 1_000_000;
  return bavail * bsize < DISK_FLOOR ? [`The disk of the data folder has less than ${megabytes} MB left.`] : [];
}

async function readinessBy(checks: Promise<string[]>[]): Promise<Readiness> {
  const problems = (await Promise.all(checks)).flat();
  return { ready: problems.length === 0, problems };
}

/** A part that does not answer in time is away, as one that refuses is. */
async function within(check: Promise<string[]>, away: string[]): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string[]>((resolve) => {
    timer = setTimeout(() => resolve(away), ANSWER_MS);
  });
  try {
    return await Promise.race([check.catch(() => away), late]);
  } finally {
    clearTimeout(timer);
  }
}
