import { Worker } from 'node:worker_threads';

/** Time for an orderly end after the failure of a part, in milliseconds. */
const ORDERLY_MS = 20_000;
/** Time until the process is ended by SIGKILL, in milliseconds. */
const LATEST_MS = 28_000;

/**
 * Ends this process within 30 seconds, with the exit code if its event loop still turns. A thread of its own sends
 * SIGKILL if not: neither hanging work nor an exit handler delays it.
 */
export function forceExit(exitCode: number): () => Promise<unknown> {
  const timer = setTimeout(() => process.exit(exitCode), ORDERLY_MS);
  timer.unref();
  const code = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${LATEST_MS});`;
  const thread = new Worker(code, { eval: true, execArgv: [], env: {}, resourceLimits: { maxOldGenerationSizeMb: 8 } });
  // Without memory for a thread, the timer remains.
  thread.on('error', () => undefined).unref();
  return () => {
    clearTimeout(timer);
    return thread.terminate();
  };
}
