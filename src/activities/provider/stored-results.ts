import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectStore } from '../../storage/object-store.ts';

/** Results that are looked for in storage at the same time. */
const AT_ONCE = 16;

/** Where the plan lies. */
export const planKey = (workKey: string): string => `${workKey}/plan`;

/** Where the result of an image lies, by its place in the plan. */
export const storedResultKey = (workKey: string, index: number): string => `${workKey}/${index}`;

/** Which images of a span have no result in storage yet. */
export async function missingResults(
  store: Pick<ObjectStore, 'head'>,
  workKey: string,
  { from, to }: { from: number; to: number },
): Promise<number[]> {
  const missing: number[] = [];
  await eachOf(from, to, async (index) => {
    if ((await store.head(storedResultKey(workKey, index))) === undefined) missing.push(index);
  });
  return missing.sort((a, b) => a - b);
}

/** Runs something for every number of a range, a few at a time. @throws the first error, once none runs any more */
export async function eachOf(from: number, to: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = from;
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    while (next < to) await run(next++);
  });
  const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Brings results into storage while the next ones are made: a lost worker loses only its present image. */
export interface ResultMover {
  /** Brings the results that are whole by now. @returns how many it has brought altogether */
  look(): Promise<number>;
  /** The same, for the last time. @throws what storage had to say */
  finish(): Promise<number>;
}

export function moveResults(store: Pick<ObjectStore, 'putFile'>, workKey: string, directory: string): ResultMover {
  let moved = 0;
  let moving: Promise<void> | undefined;

  async function move(): Promise<void> {
    for (const name of await readdir(directory)) {
      // A result takes its name when it is whole.
      if (!/^\d+$/.test(name)) continue;
      await store.putFile(storedResultKey(workKey, Number(name)), join(directory, name));
      moved += 1;
    }
  }
  const start = (): Promise<void> => (moving ??= move().finally(() => (moving = undefined)));

  return {
    async look() {
      // A failure shows itself again at the end, where somebody waits for it.
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
