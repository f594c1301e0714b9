import type { Enhancement, WaitingFor } from '@burnish/contract';
import { TASK_QUEUES } from '../../domain/temporal/workflow-interface.ts';
import { runAtInterval } from '../../process/run-at-interval.ts';

export interface WorkersAway {
  /** Workflows, light I/O, transfers, webhooks and inspections */
  main: boolean;
  /** CPU work */
  engine: boolean;
}

export interface WorkersWatch {
  /** The result of the last successful check. */
  away(): WorkersAway;
  close(): Promise<void>;
}

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
  const isAway = (wanted: keyof WorkersAway): boolean =>
    TASK_QUEUES.some(({ name, role }) => role === wanted && unpolled.includes(name));
  return {
    away: () => ({ main: isAway('main'), engine: isAway('engine') }),
    close: stop,
  };
}

/** Returns what an enhancement waits for, by its state and by the workers that do not answer. */
export function enhancementWait({ status, waitingFor }: Enhancement, away: WorkersAway): WaitingFor | null {
  if (status === 'AWAITING_CREDITS') return 'credits';
  if (status === 'AWAITING_APPROVAL') return 'approval';
  const open = status === 'QUEUED' || status === 'PROCESSING';
  return waitingFor ?? (open && (away.main || away.engine) ? 'worker' : null);
}
