import { upsertSearchAttributes } from '@temporalio/workflow';
import type { DeliveryAttempt, DeliveryStatus } from '../../domain/events/delivery.ts';
import { DELIVERY_JITTER, DELIVERY_OFFSETS_MS } from '../../domain/temporal/retry-policies.ts';
import type { DeliveryInput } from '../../domain/temporal/workflow-interface.ts';
import { statusAttribute } from '../../domain/temporal/search-attributes.ts';
import { accountNow, clockAdvance, followClock, waitUntil } from '../../test-accounts/workflow-clock.ts';
import { attemptDelivery, recordRedelivery } from '../activities.ts';
import { createTimeline } from '../timeline.ts';

/**
 * Handles one delivery of one event to one address, after a failed first attempt or on request. It follows the schedule of
 * attempts until one of them succeeds.
 */
export async function delivery(input: DeliveryInput): Promise<DeliveryAttempt['outcome']> {
  const outcome = await attempts(input);
  const status: DeliveryStatus = outcome === 'delivered' ? 'DELIVERED' : 'FAILED';
  upsertSearchAttributes([{ key: statusAttribute, value: status }]);
  return outcome;
}

async function attempts(input: DeliveryInput): Promise<DeliveryAttempt['outcome']> {
  const timeline = createTimeline();
  followClock();
  const { accountId, deliveryId, redeliveryOf, attempted } = input;
  let startedAt = attempted?.atMs ?? accountNow();
  let notBefore = attempted === undefined ? startedAt : accountNow() + (attempted.retryAfterMs ?? 0);
  const { count: made = 1 } = attempted ?? { count: 0 };
  if (made > 0) timeline.say(made === 1 ? 'Attempt 1: failed.' : `Attempts 1 to ${made}: failed.`);

  if (redeliveryOf !== undefined) await recordRedelivery({ accountId, deliveryId, redeliveryOf });

  for (const [index, offset] of DELIVERY_OFFSETS_MS.entries()) {
    if (index < made) continue;
    const interval = Math.max(startedAt + offset, notBefore) - accountNow();
    if (interval > 0)
      await waitUntil(accountNow() + Math.round(interval * (1 + DELIVERY_JITTER * Math.random())), () => false, {
        summary: `before attempt ${index + 1}`,
      });

    const next = DELIVERY_OFFSETS_MS[index + 1];
    const attempt = await attemptDelivery.executeWithOptions({ summary: `${input.eventKind} to ${input.host}` }, [
      {
        deliveryId,
        number: index + 1,
        nextAttemptAt: next === undefined ? null : toIso(Math.max(startedAt + next, accountNow())),
      },
    ]);
    timeline.say(`Attempt ${attempt.number}: ${attempt.httpStatus ?? 'no answer'}, ${attempt.outcome}.`);
    if (attempt.outcome !== 'failed') return attempt.outcome;
    // It may have waited for its turn.
    if (index === 0) startedAt = Date.parse(attempt.at) + clockAdvance();
    notBefore = accountNow() + (attempt.retryAfterMs ?? 0);
  }
  return 'failed';
}

/** The real time of a moment by the clock of the account. */
const toIso = (momentMs: number): string => new Date(momentMs - clockAdvance()).toISOString();
