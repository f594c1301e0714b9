import { condition } from '@temporalio/workflow';
import { counted, formatNumber } from '../../domain/counted.ts';
import { creditPeriodAt } from '../../domain/accounts/credits.ts';
import { Failure } from '../../domain/failures.ts';
import { LEDGER_CHECK_MS } from '../../domain/temporal/waits.ts';
import type { OpenEnhancement } from './open-enhancement.ts';

/**
 * Waits until the account may have enough credits, for as long as the request allows (docs/contract.md).
 * @param remaining credits left in the account
 * @throws Failure INSUFFICIENT_CREDITS after the time limit
 */
export async function awaitCredits(open: OpenEnhancement, remaining: number): Promise<void> {
  const { tracker, progress, wakeUps, rest } = open;
  const { state } = tracker;
  const credits = state.estimatedCredits ?? 0;
  const now = Date.now();
  progress.creditsSince ??= now;
  const deadline = progress.creditsSince + state.creditWaitMs;
  if (now >= deadline) {
    const left = formatNumber(remaining);
    const detail = `The enhancement needs ${counted(credits, 'credit')}, and the account has ${left} left.`;
    throw new Failure('INSUFFICIENT_CREDITS', { detail });
  }
  const seen = wakeUps.credits();
  if (state.status !== 'AWAITING_CREDITS') {
    const sentence = `Waiting for credits: ${formatNumber(credits)} needed, ${formatNumber(remaining)} left.`;
    await tracker.move({ status: 'AWAITING_CREDITS', waitingFor: 'credits' }, sentence, { announce: true });
  }
  const nextPeriod = Date.parse(creditPeriodAt(now).end);
  const until = Math.min(deadline, nextPeriod, now + LEDGER_CHECK_MS);
  await rest(() =>
    condition(() => wakeUps.credits() > seen, Math.max(1, until - Date.now()), { summary: `credits for ${state.id}` }),
  );
}
