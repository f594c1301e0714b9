import { randomUUID } from 'node:crypto';
import { within } from '../process/within.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { type MarkerWatch, StorageUnmarked } from '../storage/marked-storage.ts';

/** Problems of a part, in sentences; empty if it works. */
export type Probe = () => Promise<string[]>;

/** Maximum wait for the result of a check, milliseconds. */
export const ANSWER_MS = 2_000;
/** A probe writes to storage, so its result is reused for this long, in milliseconds. */
const STORAGE_PROBE_MS = 10_000;
const STORAGE_AWAY = ['Storage is not readable and writable.'];

/**
 * Probes storage in the same way as the lifecycle: reads the marker of the instance, and writes, reads and deletes an
 * object.
 * @param now milliseconds of a monotonic clock
 */
export function createStorageProbe(
  store: Pick<ObjectStore, 'put' | 'get' | 'delete'>,
  marker: Pick<MarkerWatch, 'recent'>,
  now = () => performance.now(),
): Probe {
  let last: { problems: Promise<string[]>; until: number } | undefined;
  return async () => {
    // Read at every call, since a lost mount must not count as ready for ten more seconds.
    const unmarked = await problemsWithin(markerProblems(marker), STORAGE_AWAY);
    if (unmarked.length > 0) {
      last = undefined;
      return unmarked;
    }
    if (last === undefined || now() >= last.until) {
      last = { problems: problemsWithin(probe(store), STORAGE_AWAY), until: now() + STORAGE_PROBE_MS };
    }
    return await last.problems;
  };
}

async function markerProblems(marker: Pick<MarkerWatch, 'recent'>): Promise<string[]> {
  try {
    await marker.recent();
    return [];
  } catch (error) {
    return error instanceof StorageUnmarked ? [error.problem] : STORAGE_AWAY;
  }
}

async function probe(store: Pick<ObjectStore, 'put' | 'get' | 'delete'>): Promise<string[]> {
  // Each probe has its own key, because gateways and workers that share a bucket probe concurrently.
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

/** Returns `away` if a check fails or times out. */
export const problemsWithin = (check: Promise<string[]>, away: string[]): Promise<string[]> =>
  within(
    ANSWER_MS,
    () => away,
    check.catch(() => away),
  );
