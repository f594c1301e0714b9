import { JailError } from '../jail-error.ts';
import { cpuTimeMs } from './process-usage.ts';
import { watch } from './watch.ts';

const LOOK_EVERY_MS = 250;

export interface TimeLimits {
  /** Maximum CPU time of the task, milliseconds */
  cpuMs: number;
  /** Time without any CPU time after which the child counts as stopped, milliseconds */
  stalledMs: number;
  /** Time after which a child within its CPU time counts as starved, milliseconds */
  wallMs: number;
}

/**
 * Watches the CPU time of a child during one task. More than the limit is a fault of the task. A child that gets none
 * for a while, or less than a share of a core, is stopped or starved by the machine. The clock on the wall counts in
 * looks, so it stands still while this process itself is stopped.
 * @param end called once
 * @returns a function that stops the watch
 */
export function watchTime(pid: number, limits: TimeLimits, end: (reason: Error) => void): () => void {
  const { cpuMs, stalledMs, wallMs } = limits;
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
    if (first !== undefined && last !== undefined && last - first > cpuMs) return new JailError('OUT_OF_TIME');
    const isStalled = idleLooks * LOOK_EVERY_MS >= stalledMs;
    const isStarved = looks * LOOK_EVERY_MS >= wallMs;
    return isStalled || isStarved ? new JailError('STARVED', { mayRepeat: true }) : undefined;
  }
  return watch(LOOK_EVERY_MS, look, end, true);
}
