import { setTimeout as delay } from 'node:timers/promises';

export interface StallMeter {
  /** Counts work. @param counts `ended` never falls */
  look(counts: { ended: number; open: number }): void;
  /** The longest time without an end while work was open, seconds */
  readonly seconds: number;
}

/** @param clock milliseconds */
export function createStallMeter(clock = (): number => performance.now()): StallMeter {
  let ended = 0;
  let since: number | undefined;
  let longest = 0;
  return {
    look(counts) {
      const now = clock();
      if (since !== undefined) longest = Math.max(longest, now - since);
      if (counts.open === 0) since = undefined;
      else if (since === undefined || counts.ended > ended) since = now;
      ended = Math.max(ended, counts.ended);
    },
    get seconds() {
      return longest / 1000;
    },
  };
}

const LOOKS_EVERY_MS = 250;

/**
 * Counts several times a second until it is stopped. A count that fails, since its part is away, is left out, and the time goes on.
 * @returns what stops it
 */
export function keepLooking(
  meter: StallMeter,
  count: () => Promise<{ ended: number; open: number } | undefined> | { ended: number; open: number },
): () => Promise<void> {
  let looking = true;
  const done = (async () => {
    while (looking) {
      const counts = await Promise.resolve()
        .then(count)
        .catch(() => undefined);
      if (counts !== undefined) meter.look(counts);
      // A program that has done its work ends also while it looks.
      await delay(LOOKS_EVERY_MS, undefined, { ref: false });
    }
  })();
  return async () => {
    looking = false;
    await done;
  };
}
