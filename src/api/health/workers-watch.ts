import {
  ENGINE_TASK_QUEUE,
  INSPECTION_TASK_QUEUE,
  LARGE_ENGINE_TASK_QUEUE,
  LARGE_INSPECTION_TASK_QUEUE,
  MAIN_TASK_QUEUE,
} from '../../domain/temporal/workflow-interface.ts';
import { runAtInterval } from '../../process/run-at-interval.ts';

export interface WorkersAway {
  /** Workflows, light I/O and inspections */
  main: boolean;
  /** CPU work */
  engine: boolean;
}

export interface WorkersWatch {
  /** The result of the last successful check. */
  away(): WorkersAway;
  close(): Promise<void>;
}

/** Queues that main workers poll. */
const MAIN_QUEUES = [MAIN_TASK_QUEUE, INSPECTION_TASK_QUEUE, LARGE_INSPECTION_TASK_QUEUE];
const ENGINE_QUEUES = [ENGINE_TASK_QUEUE, LARGE_ENGINE_TASK_QUEUE];

/**
 * Checks at an interval which task queues have no worker. Records can then show a wait for a worker without a request
 * to Temporal at each read.
 * @param look names the task queues without a worker
 */
export function watchWorkers(look: () => Promise<readonly string[]>, intervalMs: number): WorkersWatch {
  let unpolled: readonly string[] = [];
  const lookAgain = (): Promise<void> =>
    look().then(
      (queues) => void (unpolled = queues),
      () => undefined,
    );
  const stop = runAtInterval(intervalMs, lookAgain);
  return {
    away: () => ({
      main: MAIN_QUEUES.some((queue) => unpolled.includes(queue)),
      engine: ENGINE_QUEUES.some((queue) => unpolled.includes(queue)),
    }),
    close: stop,
  };
}
