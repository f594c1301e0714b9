import { createHmac } from 'node:crypto';
import { Failure } from '@burnish/contract';
import type { Deliveries, DeliveryContext } from '../database/webhooks/deliveries.ts';
import { DELIVERY_ANSWER_BYTES, type DeliveryAttempt } from '../domain/events/delivery.ts';
import { formattedEvent, signWebhook } from '../domain/events/sign-webhook.ts';
import { DELIVERY_TIMEOUT_MS } from '../domain/temporal/timeouts.ts';
import type { SafeFetch } from '../net/safe-fetch.ts';
import { createAttemptPermits } from './attempt-permits.ts';
import type { Input } from './inputs/schemas.ts';
import type { Deferred } from './shared-permits.ts';

export interface NotifyDeps {
  deliveries: Pick<Deliveries, 'recordRedelivery' | 'context' | 'recordAttempt' | 'postpone' | 'holdBack'>;
  send: SendDelivery;
}

/** Sends the event of a delivery. @param number of the attempt, from 1 */
export type SendDelivery = (context: DeliveryContext, number: number) => Promise<DeliveryAttempt>;

/** The header in which receivers of the format PUBLIC expect a signature: hex HMAC-SHA256 of the body. */
const PUBLIC_SIGNATURE = 'x-viesus-cloud-signature';

/** A first attempt that failed. */
export interface FailedAttempt {
  deliveryId: string;
  /** Delay that the receiver requested, in milliseconds; null without a request */
  retryAfterMs: number | null;
}

export function createNotifyActivities({ deliveries, send }: NotifyDeps) {
  const permits = createAttemptPermits();

  /** @param context undefined: a restored database may lack the delivery, and the log cannot record an attempt then */
  async function attempt(
    context: DeliveryContext | undefined,
    { deliveryId, number, nextAttemptAt }: Input<'attemptDelivery'>,
  ): Promise<DeliveryAttempt | Deferred> {
    if (context === undefined) return unsent(number, 'The delivery is not in the log.');
    const made = context.endpointGone
      ? unsent(number, 'The endpoint was disabled or removed.')
      : await permits.hold(context.delivery, () => send(context, number));
    if ('deferredMs' in made) return made;
    const isLast = made.outcome !== 'failed' || nextAttemptAt === null;
    await deliveries.recordAttempt(deliveryId, made, {
      status: made.outcome === 'delivered' ? 'DELIVERED' : isLast ? 'FAILED' : 'PENDING',
      nextAttemptAt: isLast ? null : nextAttemptAt,
    });
    return made;
  }

  /** The first attempt. Without a permit for it, the delivery waits in the database, and a workflow of its own starts in its turn. */
  async function attemptFirst(deliveryId: string, nextAttemptAt: string): Promise<FailedAttempt[]> {
    const context = await deliveries.context(deliveryId);
    // This is a repetition, and the delivery waits since the last one.
    if (context?.waited === true) return [];
    const made = await attempt(context, { deliveryId, number: 1, nextAttemptAt });
    if ('deferredMs' in made) await deliveries.holdBack(deliveryId);
    else if (made.outcome === 'failed') return [{ deliveryId, retryAfterMs: made.retryAfterMs }];
    return [];
  }

  return {
    async recordRedelivery(order: Input<'recordRedelivery'>): Promise<void> {
      const there = await deliveries.recordRedelivery(order.accountId, order.deliveryId, order.redeliveryOf);
      if (!there) throw new Failure('NOT_FOUND');
    },

    /** @throws Failure RATE_LIMITED, which Temporal tries again, if the attempt found no permit */
    async attemptDelivery(order: Input<'attemptDelivery'>): Promise<DeliveryAttempt> {
      const { deliveryId } = order;
      const made = await attempt(await deliveries.context(deliveryId), order);
      if (!('deferredMs' in made)) return made;
      await deliveries.postpone(deliveryId, new Date(Date.now() + made.deferredMs).toISOString());
      const detail = 'Too many attempts to this receiver have no answer yet. The attempt waits for its turn.';
      throw new Failure('RATE_LIMITED', { detail, retryAfterSeconds: made.deferredMs / 1000 });
    },

    /**
     * Runs the first attempt for each of these receivers of an event concurrently.
     * @returns the deliveries to try again
     */
    async notifyReceivers({ deliveryIds, nextAttemptAt }: Input<'notifyReceivers'>): Promise<FailedAttempt[]> {
      return (await Promise.all(deliveryIds.map((id) => attemptFirst(id, nextAttemptAt)))).flat();
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

export const createDeliverySender =
  (safeFetch: Pick<SafeFetch, 'post'>): SendDelivery =>
  (context, number) =>
    send(context, number, safeFetch);

async function send(
  { delivery: { url }, secrets, event, publicData }: DeliveryContext,
  number: number,
  safeFetch: Pick<SafeFetch, 'post'>,
): Promise<DeliveryAttempt> {
  const sentAt = new Date();
  const { headers, body } = signWebhook(formattedEvent(event, publicData), sentAt, secrets);
  if (publicData !== undefined)
    headers[PUBLIC_SIGNATURE] = createHmac('sha256', secrets[0]!).update(body).digest('hex');
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
