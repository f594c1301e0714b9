import { Router } from 'express';
import { z } from 'zod';
import { EVENT_KINDS } from '../../domain/events/events.ts';
import type { WebhookRepresentation, WebhookWithSecretRepresentation } from '../../domain/representations/webhook.ts';
import { found } from '../commands/require-record.ts';
import type { WebhookWithSecret } from './webhook-commands.ts';
import type { WebhookEndpoint } from '../ports.ts';
import { callerOf } from '../http/request-context.ts';
import type { RestDeps } from '../rest/rest-deps.ts';
import { httpUrl } from '../schemas/fields.ts';
import { noBody, noQuery } from '../uploads/upload-requests.ts';
import { accepted, created, fresh, gone, idempotencyKeyOf, jsonBody, page, parse, wholeList } from '../rest/respond.ts';
import { representDelivery } from './delivery-operations.ts';
import { wellFormedId } from '../rest/well-formed-id.ts';

export const createWebhookBody = z
  .strictObject({
    url: httpUrl.meta({
      description: 'https address that hears of every event of the account, signed.',
      example: 'https://example.com/hooks',
    }),
    events: z
      .array(z.enum(EVENT_KINDS))
      .min(1)
      .max(20)
      .optional()
      .meta({ description: 'Kinds of events that are sent. Absent: all.', example: ['enhanced_image.status_update'] }),
  })
  .meta({ id: 'CreateWebhook' });

const shape = {
  id: z.string().meta({ example: 'whk_01jz8k3v5wq4m2n7p9r6s8t0xy' }),
  url: z.string(),
  events: z.array(z.enum(EVENT_KINDS)),
  createdAt: z.iso.datetime(),
  disabledAt: z.iso.datetime().nullable().meta({ description: 'Since the receiver answered 410: nothing is sent.' }),
};
export const webhookSchema = z.object(shape).meta({ id: 'Webhook', description: 'An endpoint that hears of events.' });
export const webhookWithSecretSchema = z
  .object({
    ...shape,
    secret: z.string().nullable().meta({
      description:
        'Signs what is sent, as Standard Webhooks describe it. Shown this once: null when the same request is repeated under its `Idempotency-Key`.',
      example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    }),
  })
  .meta({ id: 'WebhookWithSecret' });

const represent = ({ id, url, events, createdAt, disabledAt }: WebhookEndpoint): WebhookRepresentation => ({
  id,
  url,
  events,
  createdAt,
  disabledAt,
});

const representWithSecret = ({ endpoint, secret }: WebhookWithSecret): WebhookWithSecretRepresentation => ({
  ...represent(endpoint),
  secret,
});

/** `/v1/webhooks`: the addresses that hear of events. */
export function webhookRoutes({ commands, webhookEndpoints, deliveries }: RestDeps): Router {
  const router = Router();
  router.param('id', wellFormedId('whk'));

  router.post('/', jsonBody, async (req, res) => {
    parse(noQuery, req.query);
    const { url, events = EVENT_KINDS } = parse(createWebhookBody, req.body);
    const made = await commands.createWebhook(callerOf(res), { url, events }, idempotencyKeyOf(req));
    created(res, `/v1/webhooks/${made.endpoint.id}`, representWithSecret(made));
  });

  router.get('/', async (req, res) => {
    parse(noQuery, req.query);
    page(req, res, wholeList(await webhookEndpoints.list(callerOf(res).account.id)), represent);
  });

  router.get('/:id', async (req, res) => {
    parse(noQuery, req.query);
    fresh(res, represent(found(await webhookEndpoints.get(callerOf(res).account.id, req.params.id))));
  });

  router.delete('/:id', async (req, res) => {
    parse(noQuery, req.query);
    await commands.deleteWebhook(callerOf(res), req.params.id, idempotencyKeyOf(req));
    gone(res);
  });

  router.post('/:id/rotate-secret', jsonBody, async (req, res) => {
    parse(noQuery, req.query);
    parse(noBody, req.body);
    const made = await commands.rotateWebhookSecret(callerOf(res), req.params['id'], idempotencyKeyOf(req));
    fresh(res, representWithSecret(made));
  });

  router.post('/:id/test', jsonBody, async (req, res) => {
    parse(noQuery, req.query);
    parse(noBody, req.body);
    const delivery = await commands.testWebhook(callerOf(res), req.params['id'], idempotencyKeyOf(req));
    const attempts = await deliveries.attempts(delivery.accountId, [delivery.id]);
    const location = `/v1/webhook-deliveries/${delivery.id}`;
    accepted(res, location, representDelivery(delivery, attempts.get(delivery.id) ?? []));
  });

  return router;
}
