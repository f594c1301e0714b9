import { forceExit } from '../process/forced-exit.ts';
import type { Stack } from '../runtime/stack.ts';

/** Exit code after a part of the instance has ended by itself (EX_UNAVAILABLE of sysexits.h): a supervisor restarts it. */
export const PART_FAILED = 69;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs a stack until a signal or the failure of a part, then stops it cleanly. A second signal ends the process at
 * once. After the failure of a part the process ends within 30 seconds.
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
    const failure = await Promise.race([stopped, stack.failed]);
    if (failure === undefined) {
      await stack.close();
      return 0;
    }
    report(failure.message);
    forceExit(PART_FAILED);
    await stack.close();
    return PART_FAILED;
  } catch (error) {
    if (stopping.signal.aborted) return 0;
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}
