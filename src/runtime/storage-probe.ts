import { randomUUID } from 'node:crypto';
import type { ObjectStore } from '../storage/object-store.ts';

/** What is wrong with a part, in sentences; nothing when it does its work. */
export type Look = () => Promise<string[]>;

/** Longest wait for an answer about storage, milliseconds. */
export const ANSWER_MS = 2_000;
/** Storage is written to for a look at it, so one look serves everybody for this long, in milliseconds. */
const STORAGE_LOOK_MS = 10_000;
const STORAGE_AWAY = ['Storage cannot be written and read.'];

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

/** A part that does not answer in time is away, as one that refuses is. */
export async function within(check: Promise<string[]>, away: string[]): Promise<string[]> {
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
