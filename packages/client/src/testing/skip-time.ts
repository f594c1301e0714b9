import { setTimeout as pause } from 'node:timers/promises';

/** The clock of a test environment. */
export interface FakeClock {
  /** Milliseconds since the epoch */
  now(): Promise<number>;
  /** Lets milliseconds pass, at once if the test awaits a result or sleeps */
  sleep(ms: number): Promise<void>;
}

/** Most of one skip, milliseconds. Up to this time may pass by itself after somebody ends a wait early. */
const SKIP_MS = 3_600_000;
/** A late course gets this real time to go on by itself, and then a first further skip, milliseconds. */
const LATE_MS = { real: 200, skip: 1_000 };

/** A running enhancement of the fake. */
export interface RunningCourse {
  /** Aborted at its end */
  over: AbortSignal;
  /** End of its present wait, milliseconds since the epoch; null while it waits for nothing */
  waitsUntil(): Promise<number | null>;
}

/**
 * Skips time until the end of a course: the test server does not while a caller waits for an operation or an activity. Each skip cancels
 * the lock of that caller for its time, so the clock still stands while the test neither sleeps nor awaits a result. A skip without such
 * a lock would leave one that nobody releases, so the caller waits until this function returns. Skips end with the waits, since the
 * unfinished start of another operation would time out, and be repeated after ten real seconds.
 */
export async function skipTime({ over, waitsUntil }: RunningCourse, { now, sleep }: FakeClock): Promise<void> {
  for (let late = LATE_MS.skip; !over.aborted;) {
    const until = await waitsUntil();
    let left = until === null ? 0 : until - (await now());
    if (left > 0) {
      for (; left > 0 && !over.aborted; left -= SKIP_MS) await sleep(Math.min(left, SKIP_MS));
      late = LATE_MS.skip;
      continue;
    }
    await pause(LATE_MS.real, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return;
    await sleep(late);
    late = Math.min(2 * late, SKIP_MS);
  }
}
