import { counted, formatNumber } from '../../domain/counted.ts';
import { creditPeriodAt, type CreditBalance } from '../../domain/accounts/credits.ts';
import { append, balanceOf, entriesOf, lockAccount, openPeriod } from './credit-period.ts';
import type { Orm } from '../database.ts';

/** `closed`: the enhancement's credits have been released already, for good; nothing was reserved. */
export interface Reservation {
  outcome: 'reserved' | 'insufficient' | 'closed';
  /** Credits left in the present period */
  remaining: number;
  /** Where they are reserved: how many, the balance now, and whether an earlier call has reserved them */
  reserved?: { credits: number; balance: CreditBalance; repeated: boolean };
}

export interface Movement {
  accountId: string;
  enhancementId: string;
  /** Milliseconds since the epoch; decides the period */
  nowMs: number;
}

/**
 * Sets credits aside for an enhancement. A repetition changes nothing, also with another number of credits. After a release
 * the reservation stays `closed`: a late retry of a cancelled step cannot tie up credits.
 * @throws Failure NOT_FOUND for an unknown account
 */
export async function reserveCredits(
  tx: Orm,
  { accountId, enhancementId, credits, nowMs }: Movement & { credits: number },
): Promise<Reservation> {
  const period = creditPeriodAt(nowMs);
  const balance = balanceOf(period, await openPeriod(tx, accountId, nowMs));
  const { remaining } = balance;
  const { reserve, capture, release } = await entriesOf(tx, accountId, enhancementId);
  if (release !== undefined && capture === undefined) return { outcome: 'closed', remaining };
  if (reserve !== undefined) {
    return { outcome: 'reserved', remaining, reserved: { credits: reserve.credits, balance, repeated: true } };
  }
  if (remaining < credits) return { outcome: 'insufficient', remaining };
  await append(tx, [{ accountId, enhancementId, kind: 'reserve', credits, period: period.key }], nowMs);
  const left = { ...balance, reserved: balance.reserved + credits, remaining: remaining - credits };
  return { outcome: 'reserved', remaining: left.remaining, reserved: { credits, balance: left, repeated: false } };
}

/**
 * Charges a reservation, once; the rest of the reservation is released.
 * @returns credits charged: those of the first capture on a repetition, 0 when the reservation had been released
 * @throws RangeError for more credits than reserved, or when none were reserved
 */
export async function captureCredits(
  tx: Orm,
  { accountId, enhancementId, credits, nowMs }: Movement & { credits: number },
): Promise<{ charged: number }> {
  await lockAccount(tx, accountId);
  const { reserve, capture, release } = await entriesOf(tx, accountId, enhancementId);
  if (capture !== undefined) return { charged: capture.credits };
  if (release !== undefined) return { charged: 0 };
  if (reserve === undefined || credits > reserve.credits) {
    throw new RangeError(
      `Expected at most the ${counted(reserve?.credits ?? 0, 'credit')} reserved, but received ${formatNumber(credits)}.`,
    );
  }
  const entry = { accountId, enhancementId, period: reserve.period };
  const rest = reserve.credits - credits;
  await append(
    tx,
    [
      { ...entry, kind: 'capture', credits },
      ...(rest > 0 ? [{ ...entry, kind: 'release' as const, credits: rest }] : []),
    ],
    nowMs,
  );
  return { charged: credits };
}

/**
 * Gives a reservation back, once; nothing happens after a capture. Without a reservation, an entry of 0 credits refuses one
 * that comes late.
 * @param refuseLate false enters nothing where nothing was reserved
 */
export async function releaseCredits(
  tx: Orm,
  { accountId, enhancementId, nowMs }: Movement,
  refuseLate = true,
): Promise<void> {
  await lockAccount(tx, accountId);
  const { reserve, capture, release } = await entriesOf(tx, accountId, enhancementId);
  if (capture !== undefined || release !== undefined) return;
  if (reserve === undefined && !refuseLate) return;
  const period = reserve?.period ?? creditPeriodAt(nowMs).key;
  await append(tx, [{ accountId, enhancementId, kind: 'release', credits: reserve?.credits ?? 0, period }], nowMs);
}
