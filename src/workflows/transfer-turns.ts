import { type ActivityOptions, patched, type RetryPolicy, sleep } from '@temporalio/workflow';
import type { DeferredTransfer } from '../activities/transfers.ts';
import { MAIN_TASK_QUEUE } from '../domain/temporal/workflow-interface.ts';
import type { BackoffOptions, Rest } from './step-failures.ts';

/** Options of one execution of a transfer. */
export type TransferOptions = BackoffOptions & Pick<ActivityOptions, 'taskQueue'>;

/**
 * Runs a transfer once its account has a place for it. A wait for a turn uses no attempt and no time of its limit.
 * @param attempts those of its class of work
 * @throws the activity's failure
 */
export async function inTurn<T extends object>(
  attempts: RetryPolicy & { maximumAttempts: number },
  backoff: BackoffOptions,
  run: (options: TransferOptions) => Promise<T | DeferredTransfer>,
  rest: Rest = (wait) => wait(),
): Promise<T> {
  // A worker of an earlier version cannot go on after a deferral. With this mark, it leaves the workflow to another one.
  const own = patched('transfers-in-turns') ? {} : { taskQueue: MAIN_TASK_QUEUE };
  const retry = backoff.retry ?? attempts;
  const { scheduleToCloseTimeout: limitMs } = backoff;
  let failed = 0;
  let elapsedMs = 0;
  for (;;) {
    const startedAt = Date.now();
    const outcome = await run({
      ...backoff,
      ...own,
      retry: { ...retry, maximumAttempts: (retry.maximumAttempts ?? Infinity) - failed },
      ...(limitMs !== undefined && { scheduleToCloseTimeout: Math.max(1_000, limitMs - elapsedMs) }),
    });
    if (!isDeferred(outcome)) return outcome;
    failed += outcome.failedAttempts;
    elapsedMs += Date.now() - startedAt;
    await rest(() => sleep(outcome.deferredMs, { summary: 'turn among the transfers of the account' }));
  }
}

const isDeferred = (outcome: object): outcome is DeferredTransfer => 'deferredMs' in outcome;
