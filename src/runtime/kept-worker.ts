import type { Worker } from '@temporalio/worker';
import { keepRunning, type Part } from '../process/keep-running.ts';

/** A worker that is replaced each time it fails. */
export interface KeptWorker {
  /** Whether it runs; false between its failure and its replacement, and while it stops */
  running(): boolean;
  close(): Promise<void>;
}

/**
 * Runs a worker, and replaces it each time it fails. The process and its other workers keep running, and Temporal repeats the work of the
 * failed worker.
 * @param make makes a worker of the same task queue
 * @param report receives one sentence about each failure and each replacement
 */
export function keepWorker(first: Worker, make: () => Promise<Worker>, report: (sentence: string) => void): KeptWorker {
  const stopping = new AbortController();
  const name = `The worker of ${first.options.taskQueue}`;
  let worker = first;
  const run = (): Part => ({
    ended: worker.run().catch((error: unknown) => {
      report(`${name} has failed: ${error instanceof Error ? error.message : String(error)}`);
    }),
  });
  async function restart(): Promise<Part> {
    worker = await make();
    const part = run();
    if (stopping.signal.aborted) worker.shutdown();
    return part;
  }
  const ended = keepRunning(run(), { name, restart, report, stopping: stopping.signal });
  return {
    running: () => worker.getState() === 'RUNNING',
    async close() {
      stopping.abort();
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
    },
  };
}
