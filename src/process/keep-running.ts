import { setTimeout as delay } from 'node:timers/promises';

/** Pauses before the restarts within the window, milliseconds; the last one before each further restart. */
const PAUSES_MS = [0, 1_000, 5_000, 15_000, 30_000, 60_000];
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
  /** Milliseconds before each restart within ten minutes; the last one before each further restart */
  pausesMs?: readonly number[];
  /** Milliseconds of a monotonic clock */
  now?: () => number;
}

/**
 * Restarts a part that ends by itself, each time, after pauses that grow while it ends often, so that the log gets a line or two
 * a minute at most. A restart that fails counts as an end. Nobody has to start the process again, and what only a person can
 * mend, such as a damaged file, stands in the report.
 * @returns after the part has ended on purpose
 */
export async function keepRunning<P extends Part>(first: P, options: KeepRunningOptions<P>): Promise<void> {
  const { restart, report, name, stopping, pausesMs = PAUSES_MS, now = () => performance.now() } = options;
  let restarts: number[] = [];
  for (let part: P | undefined = first; ;) {
    await part?.ended;
    if (stopping.aborted) return;
    restarts = restarts.filter((at) => now() - at < WINDOW_MS);
    const pauseMs = pausesMs[restarts.length] ?? pausesMs.at(-1)!;
    const when = pauseMs === 0 ? '' : ` in ${pauseMs / 1000} s`;
    if (part !== undefined) report(`${name} has ended by itself, and is started again${when}.`);
    await delay(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    restarts.push(now());
    part = await restart().catch((error: unknown) => {
      if (!stopping.aborted) report(`${name} did not start: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    });
  }
}
