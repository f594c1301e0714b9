import { JailError } from '../jail-error.ts';
import { MAX_THREADS } from '../limits.ts';
import { cpuTimeMs, holdingsOf } from './process-usage.ts';

/**
 * Looks at a child at an interval, and ends it with the first reason that a look finds. Looks never overlap, and the timer does not
 * keep the process alive.
 * @param look returns the reason to end the child, or undefined
 * @param end called once
 * @param startsNow whether the first look is at once, or after one interval
 * @returns a function that stops the watch
 */
export function watch(
  intervalMs: number,
  look: () => Promise<Error | undefined>,
  end: (reason: Error) => void,
  startsNow: boolean,
): () => void {
  let isLooking = false;
  let isWatching = true;
  const lookOnce = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    const reason = await look();
    isLooking = false;
    if (reason === undefined || !isWatching) return;
    stop();
    end(reason);
  };
  const timer = setInterval(() => void lookOnce(), intervalMs).unref();
  if (startsNow) void lookOnce();

  function stop(): void {
    isWatching = false;
    clearInterval(timer);
  }
  return stop;
}

const TIME_LOOK_MS = 250;

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
    const isStalled = idleLooks * TIME_LOOK_MS >= stalledMs;
    const isStarved = looks * TIME_LOOK_MS >= wallMs;
    return isStalled || isStarved ? new JailError('STARVED', { mayRepeat: true }) : undefined;
  }
  return watch(TIME_LOOK_MS, look, end, true);
}

const MEMORY_LOOK_MS = 100;

/**
 * Watches a process and its descendants: together they use at most `limitBytes`, and no more threads than a task has.
 * @param end called once
 * @returns a function that stops the watch
 */
export function watchMemory(pid: number, limitBytes: number, end: (reason: Error) => void): () => void {
  return watch(MEMORY_LOOK_MS, () => excessOf(pid, limitBytes), end, false);
}

async function excessOf(pid: number, limitBytes: number): Promise<Error | undefined> {
  const { bytes, threads } = await holdingsOf(pid);
  if (bytes > limitBytes) return new JailError('OUT_OF_MEMORY');
  return threads > MAX_THREADS ? new JailError('TOO_MANY_THREADS') : undefined;
}

const REST_LOOK_MS = 1_000;

/** CPU time of a child between two tasks, milliseconds: it collects its garbage, and does nothing else. */
const REST_CPU_MS = 500;

/**
 * Watches a child between two tasks, at once and then at a tenth of the rate. It stays within its memory and threads, and does
 * nothing.
 * @param end called once
 * @returns a function that stops the watch
 */
export function watchRest(pid: number, limitBytes: number, end: (reason: Error) => void): () => void {
  let first: number | undefined;
  const look = async (): Promise<Error | undefined> => {
    const used = await cpuTimeMs(pid);
    first ??= used;
    if (used !== undefined && first !== undefined && used - first > REST_CPU_MS) return new JailError('OUT_OF_TIME');
    return await excessOf(pid, limitBytes);
  };
  return watch(REST_LOOK_MS, look, end, true);
}
