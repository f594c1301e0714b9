import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readingName } from '@burnish/engine/host';
import type { ObjectStore } from '../../storage/object-store.ts';

/** Maximum number of concurrent storage calls. */
const AT_ONCE = 16;

export const planKey = (workKey: string): string => `${workKey}/plan`;

export const storedResultKey = (workKey: string, index: number): string => `${workKey}/${index}`;

/** Key of what was read on an image of a plan. It is stored before the result, so that a result is never without it. */
export const storedReadingKey = (workKey: string, index: number): string => `${workKey}/${readingName(index)}`;

export async function missingResults(
  store: Pick<ObjectStore, 'head'>,
  workKey: string,
  { from, to }: { from: number; to: number },
): Promise<number[]> {
  const missing: number[] = [];
  await forEachIndex(from, to, async (index) => {
    if ((await store.head(storedResultKey(workKey, index))) === undefined) missing.push(index);
  });
  return missing.sort((a, b) => a - b);
}

/**
 * Runs a function for every number of a range, with limited concurrency.
 * @throws the first error, once no call runs any more
 */
export async function forEachIndex(from: number, to: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = from;
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    while (next < to) await run(next++);
  });
  const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Moves results into storage while the engine makes the next ones. A lost worker loses only its current image. */
export interface ResultMover {
  /**
   * Moves the results that are complete so far.
   * @returns the total number of moved results
   */
  look(): Promise<number>;
  /**
   * Moves the remaining results.
   * @throws the storage's error
   */
  finish(): Promise<number>;
}

export function moveResults(store: Pick<ObjectStore, 'putFile'>, workKey: string, directory: string): ResultMover {
  let moved = 0;
  let moving: Promise<void> | undefined;

  async function move(): Promise<void> {
    for (const name of await readdir(directory)) {
      // The engine renames a result to its index when the file is complete.
      if (!/^\d+$/.test(name)) continue;
      await store.putFile(storedResultKey(workKey, Number(name)), join(directory, name));
      moved += 1;
    }
  }
  const start = (): Promise<void> => (moving ??= move().finally(() => (moving = undefined)));

  return {
    async look() {
      // A failure recurs in `finish`, and its caller handles it.
      await start().catch(() => undefined);
      return moved;
    },
    async finish() {
      await moving?.catch(() => undefined);
      await start();
      return moved;
    },
  };
}
