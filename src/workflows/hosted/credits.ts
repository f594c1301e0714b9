import { sleep } from '@temporalio/workflow';
import { counted, formatNumber, Failure } from '@burnish/contract';
import { HOSTED_CREDITS } from '../../domain/temporal/retry-policies.ts';
import type { EnhancementRun } from '../enhancement/enhancement-run.ts';
import { failureReason } from '../step.ts';
import type { HostedCalls } from './calls.ts';

/** Whether the service refused for lack of credits, even if it reported enough of them before. */
export function isOutOfHostedCredits(error: unknown): boolean {
  return failureReason(error).code === 'INSUFFICIENT_CREDITS';
}

/**
 * Returns once the service has enough credits for the enhancement. Waits for as long as the request allows.
 * @param refusals number of times the service refused to begin although it reported enough credits; each lengthens the first
 * interval
 * @throws Failure INSUFFICIENT_CREDITS after the time limit
 */
export async function awaitHostedCredits(
  { tracker, progress, whileIdle }: EnhancementRun,
  calls: HostedCalls,
  refusals: number,
): Promise<void> {
  const { state } = tracker;
  const credits = state.estimatedCredits ?? 0;
  progress.creditsSince ??= Date.now();
  let enough = refusals === 0;
  const { firstMs, longestMs } = HOSTED_CREDITS;
  const first = Math.min(firstMs * 2 ** Math.max(0, refusals - 1), longestMs);
  for (let interval = first; ; interval = Math.min(interval * 2, longestMs)) {
    const { remaining } = await calls.readRemoteCredits();
    if (enough && remaining >= credits) return;
    const left = progress.creditsSince + state.creditWaitMs - Date.now();
    if (left <= 0) {
      const detail = `The enhancement needs ${counted(credits, 'credit')}, and the hosted service has too few.`;
      throw new Failure('INSUFFICIENT_CREDITS', { detail });
    }
    if (state.status !== 'AWAITING_CREDITS') {
      const shortage = `${formatNumber(credits)} needed, ${formatNumber(remaining)} left`;
      await tracker.move(
        { status: 'AWAITING_CREDITS', waitingFor: 'credits' },
        `Waiting for credits at the hosted service: ${shortage}.`,
      );
    }
    await whileIdle(() => sleep(Math.min(interval, left), { summary: 'credits at the hosted service' }));
    enough = true;
  }
}
