import { condition } from '@temporalio/workflow';
import { counted, formatNumber } from '../domain/counted.ts';
import { creditPeriodAt } from '../domain/credits.ts';
import { Failure } from '../domain/failures.ts';
import { reserveCredits } from './activities.ts';
import type { EnhancementTracker } from './enhancement-state.ts';

/** The longest pause between two looks at the ledger, so that a lost wake-up delays but never loses. */
const LOOK_AGAIN_MS = 15 * 60_000;

/**
 * Reserves the estimated credits, waiting for them as long as the request allows (docs/contract.md).
 * @param wakeUps counts the signals that credits have changed; a rise ends the pause
 * @throws Failure INSUFFICIENT_CREDITS when the wait is over
 */
export async function reserveOrWait(tracker: EnhancementTracker, wakeUps: () => number): Promise<void> {
  const { state } = tracker;
  const credits = state.estimatedCredits ?? 0;
  const deadline = Date.now() + state.creditWaitMs;

  for (;;) {
    const seen = wakeUps();
    const now = Date.now();
    const { accountId, id: enhancementId } = state;
    const reservation = await reserveCredits({ accountId, enhancementId, credits, nowMs: now });
    if (reservation.outcome === 'reserved') return;

    const remaining = formatNumber(reservation.remaining);
    if (now >= deadline) {
      const detail = `The enhancement needs ${counted(credits, 'credit')}, and the account has ${remaining} left.`;
      throw new Failure('INSUFFICIENT_CREDITS', { detail });
    }
    if (state.status !== 'AWAITING_CREDITS') {
      const sentence = `Waiting for credits: ${formatNumber(credits)} needed, ${remaining} left.`;
      await tracker.move({ status: 'AWAITING_CREDITS' }, sentence);
    }
    const nextPeriod = Date.parse(creditPeriodAt(now).end);
    const until = Math.min(deadline, nextPeriod, now + LOOK_AGAIN_MS);
    await condition(() => wakeUps() > seen, until - now, { summary: 'credits' });
  }
}
