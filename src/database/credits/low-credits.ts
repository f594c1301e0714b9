import { createHash } from 'node:crypto';
import { lowCreditLevel } from '../../domain/accounts/credits.ts';
import { lowCreditsEventData } from '../../domain/events/events.ts';
import { derivedId } from '../../domain/ids.ts';
import type { Orm } from '../database.ts';
import { createEventRecorder, type PlannedDelivery } from '../webhooks/event-recorder.ts';
import type { Reservation } from './credit-movements.ts';

/**
 * Records `credits.low` where a reservation brings the credits down to a level: once for each level of a period, and once more
 * after a top-up. A repetition of the reservation gives the same deliveries.
 * @returns the deliveries of the event
 */
export async function recordLowCredits(
  tx: Orm,
  accountId: string,
  { credits, balance, repeated }: NonNullable<Reservation['reserved']>,
  now: () => number,
): Promise<PlannedDelivery[]> {
  const { granted, remaining, period } = balance;
  const level = lowCreditLevel(granted, remaining + credits, remaining);
  if (level === null) return [];
  const occasion = `${accountId}\ncredits.low ${level} of ${granted} in ${period.key}`;
  const id = derivedId('evt', createHash('sha256').update(occasion).digest());
  const recorder = createEventRecorder(tx, now);
  if (!repeated && (await recorder.isRecorded(id))) return [];
  const created = new Date(now()).toISOString();
  const data = lowCreditsEventData(level, balance);
  return await recorder.recordEvent(accountId, { id, event: 'credits.low', data, created }, null);
}
