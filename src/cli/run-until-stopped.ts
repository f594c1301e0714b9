import type { Stack } from '../runtime/stack.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs a stack until a signal, then stops it cleanly. A second signal ends the process at once. Parts that fail start again by
 * themselves.
 * @param start is aborted by its signal if the process receives one during the start
 * @returns the exit code
 */
export async function runUntilStopped(
  start: (signal: AbortSignal) => Promise<Stack>,
  report: (sentence: string) => void,
): Promise<number> {
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) =>
    stopping.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143);
    report('Stopping. Work in progress continues at the next start.');
    stopping.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    const stack = await start(stopping.signal);
    await stopped;
    await stack.close();
    return 0;
  } catch (error) {
    if (stopping.signal.aborted) return 0;
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}
