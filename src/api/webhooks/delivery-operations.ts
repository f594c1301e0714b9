import { Router } from 'express';
import { z } from 'zod';
import { DELIVERY_STATUSES } from '../../domain/events/delivery.ts';
import type { DeliveryAttempt, LoggedDelivery } from '../../domain/events/delivery.ts';
import { SENT_EVENT_KINDS } from '../../domain/events/events.ts';
import type { WebhookDeliveryRepresentation } from '../../domain/representations/webhook.ts';
import { found } from '../commands/require-record.ts';
import { callerOf } from '../http/request-context.ts';
import type { RestDeps } from '../rest/rest-deps.ts';
import { listDeliveriesQuery, pageRequest } from '../schemas/paging.ts';
import { noBody, noQuery } from '../uploads/upload-requests.ts';
import { accepted, fresh, idempotencyKeyOf, jsonBody, page, parse } from '../rest/respond.ts';
import { wellFormedId } from '../rest/well-formed-id.ts';

const attemptSchema = z
  .object({
    number: z.int().meta({ description: 'From 1.' }),
    at: z.iso.datetime(),
    httpStatus: z.int().nullable().meta({ description: 'Null when no answer came.' }),
    latencyMs: z.int().meta({ description: 'Milliseconds until the answer, or until there was none.' }),
    answer: z.string().meta({ description: 'First 1,000 bytes of the answer, or why none came.' }),
    outcome: z.enum(['delivered', 'failed', 'gone']),
  })
  .meta({ id: 'DeliveryAttempt' });

export const deliverySchema = z
  .object({
    id: z.string().meta({ example: 'dlv_01jz8k3v5wq4m2n7p9r6s8t0xy' }),
    webhookId: z
      .string()
      .nullable()
      .meta({ description: 'The endpoint; null for the address that an upload brought.' }),
    url: z.string(),
    eventId: z.string().meta({ description: 'The same in every attempt and in every delivery of the event.' }),
    event: z.enum(SENT_EVENT_KINDS),
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.array(attemptSchema),
    nextAttemptAt: z.iso.datetime().nullable(),
    redeliveryOf: z.string().nullable().meta({ description: 'The delivery that this one repeats, on request.' }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'WebhookDelivery', description: 'One event on its way to one address.' });

export function representDelivery(
  delivery: LoggedDelivery,
  attempts: readonly DeliveryAttempt[],
): WebhookDeliveryRepresentation {
  return {
    id: delivery.id,
    webhookId: delivery.endpointId,
    url: delivery.url,
    eventId: delivery.eventId,
    event: delivery.eventKind,
    status: delivery.status,
    attempts: attempts.map(({ retryAfterMs: _, ...attempt }) => attempt),
    nextAttemptAt: delivery.nextAttemptAt,
    redeliveryOf: delivery.redeliveryOf,
    createdAt: delivery.createdAt,
  };
}

/** `/v1/webhook-deliveries`: the log of what was sent, and sending it again. */
export function webhookDeliveryRoutes({ commands, deliveries }: RestDeps): Router {
  const router = Router();
  router.param('id', wellFormedId('dlv'));

  router.get('/', async (req, res) => {
    const { webhookId, ...query } = parse(listDeliveriesQuery, req.query);
    const { id: accountId } = callerOf(res).account;
    const request = { ...pageRequest(query), ...(webhookId === undefined ? {} : { endpointId: webhookId }) };
    const list = await deliveries.list(accountId, request);
    const attempts = await deliveries.attempts(
      accountId,
      list.items.map(({ id }) => id),
    );
    page(req, res, list, (delivery) => representDelivery(delivery, attempts.get(delivery.id) ?? []));
  });

  router.get('/:id', async (req, res) => {
    parse(noQuery, req.query);
    const { id: accountId } = callerOf(res).account;
    const delivery = found(await deliveries.get(accountId, req.params.id));
    const attempts = await deliveries.attempts(accountId, [delivery.id]);
    fresh(res, representDelivery(delivery, attempts.get(delivery.id) ?? []));
  });

  router.post('/:id/redeliver', jsonBody, async (req, res) => {
    parse(noQuery, req.query);
    parse(noBody, req.body);
    const delivery = await commands.redeliverWebhook(callerOf(res), req.params['id'], idempotencyKeyOf(req));
    const attempts = await deliveries.attempts(delivery.accountId, [delivery.id]);
    accepted(
      res,
      `/v1/webhook-deliveries/${delivery.id}`,
      representDelivery(delivery, attempts.get(delivery.id) ?? []),
    );
  });

  return router;
}
