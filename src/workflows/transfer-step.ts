import { type ActivityOptions, type RetryPolicy, sleep } from '@temporalio/workflow';
import type { DeferredTransfer } from '../activities/transfers.ts';
import { type BackoffOptions, type WhileIdle, type WaitNotice, withMachineryBackoff } from './step.ts';

interface Transfer<Order, T> {
  activity: { executeWithOptions(options: ActivityOptions, args: [Order]): Promise<T | DeferredTransfer> };
  /** Those of its class of work */
  attempts: RetryPolicy & { maximumAttempts: number };
  /** Text for the Web UI */
  summary: string;
  order: Order;
  /** Marks the waits at which the workflow may continue as new */
  whileIdle?: WhileIdle;
}

/**
 * Runs a transfer as a step once its account has a permit for it. A wait for the permit uses no attempt and no time of its limit.
 * @throws as `step` does
 */
export const transferStep = <Order, T extends object>(waits: WaitNotice, transfer: Transfer<Order, T>): Promise<T> =>
  withMachineryBackoff(waits, (backoff) => untilTransferred(transfer, backoff));

async function untilTransferred<Order, T extends object>(
  { activity, attempts, summary, order, whileIdle = (wait) => wait() }: Transfer<Order, T>,
  backoff: BackoffOptions,
): Promise<T> {
  const retry = backoff.retry ?? attempts;
  const { scheduleToCloseTimeout: limitMs } = backoff;
  let failed = 0;
  let elapsedMs = 0;
  for (;;) {
    const startedAt = Date.now();
    const options = {
      ...backoff,
      summary,
      retry: { ...retry, maximumAttempts: (retry.maximumAttempts ?? Infinity) - failed },
      ...(limitMs !== undefined && { scheduleToCloseTimeout: Math.max(1_000, limitMs - elapsedMs) }),
    };
    const outcome = await activity.executeWithOptions(options, [order]);
    if (!isDeferred(outcome)) return outcome;
    failed += outcome.failedAttempts;
    // A clock that is set back lengthens no limit.
    elapsedMs += Math.max(0, Date.now() - startedAt);
    await whileIdle(() => sleep(outcome.deferredMs, { summary: 'turn among the transfers of the account' }));
  }
}

const isDeferred = (outcome: object): outcome is DeferredTransfer => 'deferredMs' in outcome;
