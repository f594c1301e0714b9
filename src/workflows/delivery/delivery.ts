import { patched, sleep, upsertSearchAttributes } from '@temporalio/workflow';
import type { DeliveryAttempt, DeliveryStatus } from '../../domain/events/delivery.ts';
import { DELIVERY_JITTER, DELIVERY_OFFSETS_MS } from '../../domain/temporal/retry-policies.ts';
import { statusAttribute, type DeliveryInput } from '../../domain/temporal/workflow-interface.ts';
import { attemptDelivery, recordRedelivery } from '../activities.ts';
import { createTimeline } from '../timeline.ts';

/**
 * Handles one delivery of one event to one address, after a failed first attempt or on request. It follows the schedule of
 * attempts until one of them succeeds.
 */
export async function delivery(input: DeliveryInput): Promise<DeliveryAttempt['outcome']> {
  const outcome = await attempts(input);
  if (patched('delivery-status')) {
    const status: DeliveryStatus = outcome === 'delivered' ? 'DELIVERED' : 'FAILED';
    upsertSearchAttributes([{ key: statusAttribute, value: status }]);
  }
  return outcome;
}

async function attempts(input: DeliveryInput): Promise<DeliveryAttempt['outcome']> {
  const timeline = createTimeline();
  const { accountId, deliveryId, redeliveryOf, attempted } = input;
  const startedAt = attempted?.atMs ?? Date.now();
  let notBefore = attempted === undefined ? startedAt : Date.now() + (attempted.retryAfterMs ?? 0);
  if (attempted !== undefined) timeline.say('Attempt 1: failed.');

  if (redeliveryOf !== undefined) await recordRedelivery({ accountId, deliveryId, redeliveryOf });

  for (const [index, offset] of DELIVERY_OFFSETS_MS.entries()) {
    if (index === 0 && attempted !== undefined) continue;
    const interval = Math.max(startedAt + offset, notBefore) - Date.now();
    if (interval > 0)
      await sleep(Math.round(interval * (1 + DELIVERY_JITTER * Math.random())), {
        summary: `before attempt ${index + 1}`,
      });

    const next = DELIVERY_OFFSETS_MS[index + 1];
    const attempt = await attemptDelivery.executeWithOptions({ summary: `${input.eventKind} to ${input.host}` }, [
      {
        deliveryId,
        number: index + 1,
        nextAttemptAt: next === undefined ? null : new Date(Math.max(startedAt + next, Date.now())).toISOString(),
      },
    ]);
    timeline.say(`Attempt ${attempt.number}: ${attempt.httpStatus ?? 'no answer'}, ${attempt.outcome}.`);
    if (attempt.outcome !== 'failed') return attempt.outcome;
    notBefore = Date.now() + (attempt.retryAfterMs ?? 0);
  }
  return 'failed';
}
