/** Maximum delay of a Node timer; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface Deadline {
  signal: AbortSignal;
  /** Waits for work that cannot be aborted, until the deadline. */
  race<T>(work: Promise<T>): Promise<T>;
  clear(): void;
}

export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * Limits work to a duration, and to the signal of its caller. On Node.js 20, a composite of `AbortSignal.timeout` may never abort,
 * because the garbage collector takes the timeout. The end of the time aborts with a DeadlineError.
 * @param timeoutMs milliseconds
 */
export function startDeadline(timeoutMs: number, callerSignal?: AbortSignal): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const end = (reason: unknown): void => {
    clear();
    controller.abort(reason);
  };
  const onCallerAbort = (): void => end(callerSignal?.reason);
  const timer = setTimeout(
    () => end(new DeadlineError(`no data arrived within ${timeoutMs / 1000} s`)),
    Math.min(timeoutMs, MAX_TIMER_MS),
  );
  const clear = (): void => {
    clearTimeout(timer);
    callerSignal?.removeEventListener('abort', onCallerAbort);
  };
  callerSignal?.addEventListener('abort', onCallerAbort, { once: true });
  if (callerSignal?.aborted === true) onCallerAbort();

  return {
    signal,
    clear,
    race(work) {
      return new Promise((resolve, reject) => {
        const onAbort = (): void => reject(signal.reason as Error);
        if (signal.aborted) onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
      });
    },
  };
}
