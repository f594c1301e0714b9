import { createHash } from 'node:crypto';
import { lowCreditLevel, type CreditBalance, lowCreditsEventData, derivedId } from '@burnish/contract';
import type { Orm } from '../database.ts';
import type { PlannedDelivery } from '../step.ts';
import { createEventRecorder } from '../webhooks/event-recorder.ts';
import type { Reservation } from './credit-movements.ts';

/** The balance after a planned reservation. @param balance before its entries */
export function afterReservation(
  { credits, repeated }: Reservation,
  balance: CreditBalance,
): { credits: number; balance: CreditBalance; repeated: boolean } {
  const { reserved, remaining } = balance;
  const after = { ...balance, reserved: reserved + credits, remaining: remaining - credits };
  return { credits, balance: repeated ? balance : after, repeated };
}

/**
 * Records `credits.low` when a reservation lowers the credits to a level: once for each level of a period, and again
 * after a top-up. A repetition of the reservation, whose first balance is not known, reports the level that the account has.
 * @param balance after the reservation of these credits
 */
export async function recordLowCredits(
  orm: Orm,
  accountId: string,
  { credits, balance, repeated }: { credits: number; balance: CreditBalance; repeated: boolean },
  now: () => number,
): Promise<PlannedDelivery[]> {
  const { granted, remaining, period } = balance;
  const level = lowCreditLevel(granted, repeated ? granted : remaining + credits, remaining);
  if (level === null) return [];
  const occasion = `${accountId}\ncredits.low ${level} of ${granted} in ${period.key}`;
  const id = derivedId('evt', createHash('sha256').update(occasion).digest());
  const recorder = createEventRecorder(orm, now);
  if (!repeated && (await recorder.isRecorded(id))) return [];
  const created = new Date(now()).toISOString();
  const data = lowCreditsEventData(level, balance);
  return await recorder.recordEvent(accountId, { id, event: 'credits.low', data, created }, null);
}
