import { createHash } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Deliveries, DeliveryContext } from '../database/deliveries.ts';
import { DELIVERY_ANSWER_BYTES, DELIVERY_TIMEOUT_MS, type DeliveryAttempt } from '../domain/delivery.ts';
import type { EventKind } from '../domain/events.ts';
import { Failure } from '../domain/failures.ts';
import { derivedId } from '../domain/ids.ts';
import type { SafeFetch } from '../net/safe-fetch.ts';

export interface NotifyDeps {
  deliveries: Pick<Deliveries, 'recordEvent' | 'recordRedelivery' | 'context' | 'recordAttempt'>;
  safeFetch: Pick<SafeFetch, 'post'>;
}

export interface EventOrder {
  /** Workflow that tells, and the occasion within it: together they make the event's id, so that it is told once. */
  source: string;
  occasion: string;
  accountId: string;
  kind: EventKind;
  data: Record<string, unknown>;
  created: string;
  webhookUrl: string | null;
}

export interface AttemptOrder {
  deliveryId: string;
  /** 1-based */
  number: number;
  /** When the next attempt comes if this one fails; null when this is the last */
  nextAttemptAt: string | null;
}

export function createNotifyActivities({ deliveries, safeFetch }: NotifyDeps) {
  return {
    async recordEvent(order: EventOrder): Promise<{ deliveryId: string; host: string }[]> {
      const digest = createHash('sha256').update(`${order.source}\n${order.occasion}`).digest();
      const event = { id: derivedId('evt', digest), event: order.kind, data: order.data, created: order.created };
      const recorded = await deliveries.recordEvent(order.accountId, event, order.webhookUrl);
      return recorded.map(({ id, url }) => ({ deliveryId: id, host: new URL(url).host }));
    },

    /** Enters a delivery that repeats another one into the log. */
    async recordRedelivery(order: { accountId: string; deliveryId: string; redeliveryOf: string }): Promise<void> {
      const there = await deliveries.recordRedelivery(order.accountId, order.deliveryId, order.redeliveryOf);
      if (!there) throw new Failure('NOT_FOUND');
    },

    /** Sends one signed request (Standard Webhooks) and writes what came of it into the delivery log. */
    async attemptDelivery({ deliveryId, number, nextAttemptAt }: AttemptOrder): Promise<DeliveryAttempt> {
      const context = await deliveries.context(deliveryId);
      if (context === undefined) throw new Failure('NOT_FOUND');
      const attempt = context.endpointGone ? withdrawn(number) : await send(context, number, safeFetch);
      const isLast = attempt.outcome !== 'failed' || nextAttemptAt === null;
      await deliveries.recordAttempt(deliveryId, attempt, {
        status: attempt.outcome === 'delivered' ? 'DELIVERED' : isLast ? 'FAILED' : 'PENDING',
        nextAttemptAt: isLast ? null : nextAttemptAt,
      });
      return attempt;
    },
  };
}

/** The endpoint was disabled or removed after the event: nothing is sent. */
function withdrawn(number: number): DeliveryAttempt {
  const answer = 'The endpoint was disabled or removed.';
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

async function send(
  { delivery: { url }, secrets, event }: DeliveryContext,
  number: number,
  safeFetch: NotifyDeps['safeFetch'],
): Promise<DeliveryAttempt> {
  const sentAt = new Date();
  const body = JSON.stringify(event);
  const started = performance.now();
  try {
    const { status, answer, retryAfterMs } = await safeFetch.post(url, {
      body,
      headers: signedHeaders(event.id, sentAt, body, secrets),
      timeoutMs: DELIVERY_TIMEOUT_MS,
      maxAnswerBytes: DELIVERY_ANSWER_BYTES,
    });
    const outcome = status >= 200 && status < 300 ? 'delivered' : status === 410 ? 'gone' : 'failed';
    return attempt({ httpStatus: status, answer, retryAfterMs, outcome });
  } catch (error) {
    // No answer at all: the failure's sentence is public, and says why.
    if (!(error instanceof Failure)) throw error;
    return attempt({ httpStatus: null, answer: error.message, retryAfterMs: null, outcome: 'failed' });
  }

  function attempt(
    result: Pick<DeliveryAttempt, 'httpStatus' | 'answer' | 'retryAfterMs' | 'outcome'>,
  ): DeliveryAttempt {
    return { number, at: sentAt.toISOString(), latencyMs: Math.round(performance.now() - started), ...result };
  }
}

/** The three headers of Standard Webhooks; during a rotation each valid secret signs. */
function signedHeaders(eventId: string, sentAt: Date, body: string, secrets: string[]): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Burnish-Webhooks/1',
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(eventId, sentAt, body)).join(' '),
  };
}
