import { setTimeout as pause } from 'node:timers/promises';
import type { Deliveries, DeliveryContext } from '../database/webhooks/deliveries.ts';
import { DELIVERY_ANSWER_BYTES, type DeliveryAttempt } from '../domain/events/delivery.ts';
import { signWebhook } from '../domain/events/sign-webhook.ts';
import { DELIVERY_TIMEOUT_MS } from '../domain/temporal/timeouts.ts';
import { Failure } from '../domain/failures.ts';
import { findTestEffect } from '../domain/testing/test-references.ts';
import type { SafeFetch } from '../net/safe-fetch.ts';
import type { Input } from './inputs/schemas.ts';

export interface NotifyDeps {
  deliveries: Pick<Deliveries, 'recordRedelivery' | 'context' | 'recordAttempt'>;
  safeFetch: Pick<SafeFetch, 'post'>;
}

export interface FailedAttempt {
  deliveryId: string;
  /** Delay that the receiver requested, in milliseconds; null without a request */
  retryAfterMs: number | null;
}

export function createNotifyActivities({ deliveries, safeFetch }: NotifyDeps) {
  async function attemptDelivery({
    deliveryId,
    number,
    nextAttemptAt,
  }: Input<'attemptDelivery'>): Promise<DeliveryAttempt> {
    const context = await deliveries.context(deliveryId);
    // A restored database may lack the delivery, and the log has no place for an attempt then.
    if (context === undefined) return unsent(number, 'The delivery is not in the log.');
    const attempt = context.endpointGone
      ? unsent(number, 'The endpoint was disabled or removed.')
      : await sendAsTested(context, number, safeFetch);
    const isLast = attempt.outcome !== 'failed' || nextAttemptAt === null;
    await deliveries.recordAttempt(deliveryId, attempt, {
      status: attempt.outcome === 'delivered' ? 'DELIVERED' : isLast ? 'FAILED' : 'PENDING',
      nextAttemptAt: isLast ? null : nextAttemptAt,
    });
    return attempt;
  }

  return {
    async recordRedelivery(order: Input<'recordRedelivery'>): Promise<void> {
      const there = await deliveries.recordRedelivery(order.accountId, order.deliveryId, order.redeliveryOf);
      if (!there) throw new Failure('NOT_FOUND');
    },

    attemptDelivery,

    /**
     * Runs the first attempt for every receiver of an event concurrently.
     * @returns the deliveries to retry
     */
    async notifyReceivers({ deliveryIds, nextAttemptAt }: Input<'notifyReceivers'>): Promise<FailedAttempt[]> {
      const attempts = await Promise.all(
        deliveryIds.map(async (deliveryId) => ({
          deliveryId,
          ...(await attemptDelivery({ deliveryId, number: 1, nextAttemptAt })),
        })),
      );
      return attempts
        .filter(({ outcome }) => outcome === 'failed')
        .map(({ deliveryId, retryAfterMs }) => ({ deliveryId, retryAfterMs }));
    },
  };
}

/** Outcome without a request: the delivery has no receiver any more. @param answer the reason, a sentence */
function unsent(number: number, answer: string): DeliveryAttempt {
  return {
    number,
    at: new Date().toISOString(),
    httpStatus: null,
    latencyMs: 0,
    answer,
    retryAfterMs: null,
    outcome: 'gone',
  };
}

/** Sends an event. The references of a test account may change its counted outcome, or delay it. */
async function sendAsTested(
  context: DeliveryContext,
  number: number,
  safeFetch: NotifyDeps['safeFetch'],
): Promise<DeliveryAttempt> {
  const { delivery } = (context.ofTest && findTestEffect(context.event.data['reference'])) || {};
  if (delivery === undefined || number > (delivery.attempts ?? Infinity)) return send(context, number, safeFetch);
  if (delivery.delayMs !== undefined) await pause(delivery.delayMs);
  const sent = await send(context, number, safeFetch);
  const { httpStatus, retryAfterMs = null } = delivery;
  if (httpStatus === undefined) return sent;
  const answer = 'The reference of the test sets this outcome.';
  return { ...sent, httpStatus, answer, retryAfterMs, outcome: httpStatus === 410 ? 'gone' : 'failed' };
}

async function send(
  { delivery: { url }, secrets, event }: DeliveryContext,
  number: number,
  safeFetch: NotifyDeps['safeFetch'],
): Promise<DeliveryAttempt> {
  const sentAt = new Date();
  const { headers, body } = signWebhook(event, sentAt, secrets);
  const started = performance.now();
  try {
    const { status, answer, retryAfterMs } = await safeFetch.post(url, {
      body,
      headers,
      timeoutMs: DELIVERY_TIMEOUT_MS,
      maxAnswerBytes: DELIVERY_ANSWER_BYTES,
    });
    const outcome = status >= 200 && status < 300 ? 'delivered' : status === 410 ? 'gone' : 'failed';
    return attempt({ httpStatus: status, answer, retryAfterMs, outcome });
  } catch (error) {
    // Without an HTTP response, the log shows the failure's public sentence.
    if (!(error instanceof Failure)) throw error;
    return attempt({ httpStatus: null, answer: error.message, retryAfterMs: null, outcome: 'failed' });
  }

  function attempt(
    result: Pick<DeliveryAttempt, 'httpStatus' | 'answer' | 'retryAfterMs' | 'outcome'>,
  ): DeliveryAttempt {
    return { number, at: sentAt.toISOString(), latencyMs: Math.round(performance.now() - started), ...result };
  }
}
