import { TASK_STARVED_MS, TASK_WALL_FACTOR } from '../../domain/temporal/timeouts.ts';
import { runAtInterval } from '../../process/run-at-interval.ts';
import { cpuTimeMs } from './process-usage.ts';
import { limitFailure, starvedFailure } from './failures.ts';

const LOOK_EVERY_MS = 250;

export interface TimeLimits {
  /** Maximum CPU time of the task, milliseconds */
  cpuMs: number;
  /** Time without any CPU time after which the child counts as stopped, milliseconds */
  stalledMs: number;
}

/**
 * Watches the CPU time of a child during one task. More than the limit is a fault of the file. A child that gets none
 * for a while, or less than a share of a core, is stopped or starved by the machine. The clock on the wall counts in
 * looks, so it stands still while this process itself is stopped.
 * @param end called once, with the failure
 * @returns a function that stops the watch
 */
export function watchTime(pid: number, limits: TimeLimits, end: (failure: Error) => void): () => void {
  const { cpuMs, stalledMs } = limits;
  let first: number | undefined;
  let last: number | undefined;
  let looks = 0;
  let idleLooks = 0;

  async function look(): Promise<Error | undefined> {
    const used = await cpuTimeMs(pid);
    looks += 1;
    idleLooks = used !== undefined && used !== last ? 0 : idleLooks + 1;
    last = used ?? last;
    first ??= used;
    if (first !== undefined && last !== undefined && last - first > cpuMs) return limitFailure('CPU time');
    const isStalled = idleLooks * LOOK_EVERY_MS >= stalledMs;
    const isStarved = looks * LOOK_EVERY_MS >= Math.max(TASK_STARVED_MS, cpuMs * TASK_WALL_FACTOR);
    return isStalled || isStarved ? starvedFailure() : undefined;
  }

  let isWatching = true;
  const stopPolling = runAtInterval(LOOK_EVERY_MS, async () => {
    const failure = await look();
    if (failure === undefined || !isWatching) return;
    stop();
    end(failure);
  });

  function stop(): void {
    isWatching = false;
    void stopPolling();
  }
  return stop;
}
