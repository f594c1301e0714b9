import { ENGINE_TASK_QUEUE, MAIN_TASK_QUEUE } from '../../domain/temporal/workflow-interface.ts';

/** Which kinds of workers nobody runs. */
export interface WorkersAway {
  /** Workflows and light I/O */
  main: boolean;
  /** CPU work */
  engine: boolean;
}

export interface WorkersWatch {
  /** As of the last look; a look that fails changes nothing. */
  away(): WorkersAway;
  close(): void;
}

/**
 * Looks every so often at which task queues nobody polls, so that records can say that they wait for a worker without asking
 * Temporal at each read.
 * @param look names the task queues without a worker
 */
export function watchWorkers(look: () => Promise<readonly string[]>, intervalMs: number): WorkersWatch {
  let unpolled: readonly string[] = [];
  const lookAgain = (): Promise<void> =>
    look().then(
      (queues) => void (unpolled = queues),
      () => undefined,
    );
  void lookAgain();
  const timer = setInterval(() => void lookAgain(), intervalMs).unref();
  return {
    away: () => ({ main: unpolled.includes(MAIN_TASK_QUEUE), engine: unpolled.includes(ENGINE_TASK_QUEUE) }),
    close: () => clearInterval(timer),
  };
}
