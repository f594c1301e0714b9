import { Worker } from 'node:worker_threads';

export const EXIT_TIMES = {
  /** Time for an orderly end after the failure of a part, in milliseconds */
  orderlyMs: 20_000,
  /** Time until the process is ended by SIGKILL, in milliseconds */
  latestMs: 28_000,
} as const;

/**
 * Ends this process within 30 seconds, with the exit code if its event loop still turns. A thread of its own sends
 * SIGKILL if not: neither hanging work nor an exit handler delays it.
 */
export function forceExit(
  exitCode: number,
  { orderlyMs, latestMs }: Record<keyof typeof EXIT_TIMES, number> = EXIT_TIMES,
): void {
  setTimeout(() => process.exit(exitCode), orderlyMs).unref();
  const code = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${latestMs});`;
  const thread = new Worker(code, { eval: true, execArgv: [], env: {}, resourceLimits: { maxOldGenerationSizeMb: 8 } });
  // Without memory for a thread, the timer remains.
  thread.on('error', () => undefined).unref();
}
