/**
 * Runs work now and then at an interval, but never twice at once. The work handles its own errors. The timer does not keep
 * the process alive.
 * @param startsNow whether the first run begins at once, or after one interval
 * @returns a function that stops, and resolves after the current run
 */
export function runAtInterval(intervalMs: number, work: () => Promise<unknown>, startsNow = true): () => Promise<void> {
  let running: Promise<unknown> | undefined;
  const run = (): void => void (running ??= work().finally(() => (running = undefined)));
  if (startsNow) run();
  const timer = setInterval(run, intervalMs).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
