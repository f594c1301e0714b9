import { setTimeout as delay } from 'node:timers/promises';

const PAUSES_MS = [0, 1_000, 5_000];
const WINDOW_MS = 10 * 60_000;

export interface Part {
  /** Resolves when the part has ended for any reason. */
  ended: Promise<void>;
}

export interface KeepRunningOptions<P extends Part> {
  restart: () => Promise<P>;
  /** Receives one sentence about each end and each restart */
  report: (sentence: string) => void;
  name: string;
  stopping: AbortSignal;
  /** Pauses in milliseconds before each restart within ten minutes; there are no more restarts than pauses */
  pausesMs?: readonly number[];
  /** Milliseconds of a monotonic clock */
  now?: () => number;
}

/**
 * Restarts a part that ends by itself, at most three times within ten minutes, after growing pauses. A restart that
 * fails counts as well.
 * @returns after the part has ended for good, or on purpose
 */
export async function keepRunning<P extends Part>(first: P, options: KeepRunningOptions<P>): Promise<void> {
  const { restart, report, name, stopping, pausesMs = PAUSES_MS, now = () => performance.now() } = options;
  let restarts: number[] = [];
  for (let part: P | undefined = first; ;) {
    await part?.ended;
    if (stopping.aborted) return;
    restarts = restarts.filter((at) => now() - at < WINDOW_MS);
    const pauseMs = pausesMs[restarts.length];
    if (pauseMs === undefined) {
      report(`${name} has ended again after ${pausesMs.length} restarts within ten minutes.`);
      return;
    }
    report(`${name} has ended by itself, and is started again.`);
    await delay(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    restarts.push(now());
    part = await restart().catch((error: unknown) => {
      if (!stopping.aborted) report(`${name} did not start: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    });
  }
}
