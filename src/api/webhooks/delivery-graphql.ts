import { z } from 'zod';
import type { DeliveryAttempt, LoggedDelivery } from '../../domain/events/delivery.ts';
import { builder } from '../graphql/builder.ts';
import { DeliveryOutcome } from '../graphql/enums.ts';
import { connectionType, pageArgs, pageRequest } from '../graphql/connection.ts';
import { knownId } from '../graphql/input.ts';
import { restText } from '../graphql/described-schema.ts';
import { WebhookDeliveryType } from './webhook-types.ts';
import { restType } from '../graphql/rest-types.ts';
import { mutation, query } from '../graphql/root-fields.ts';
import { attemptSchema, deliverySchema, listDeliveriesQuery } from './webhook-schemas.ts';
import type { WebhookNeeds } from './webhook-commands.ts';

const WebhookAttempt = builder.objectRef<DeliveryAttempt>('WebhookAttempt').implement({
  restSchema: attemptSchema,
  fields: (t) => ({
    number: t.exposeInt('number'),
    at: t.expose('at', { type: 'DateTime' }),
    httpStatus: t.exposeInt('httpStatus', { nullable: true }),
    latency: t.int({
      description: restText(attemptSchema.shape.latencyMs),
      resolve: ({ latencyMs }) => Math.round(latencyMs),
    }),
    answer: t.exposeString('answer'),
    outcome: t.expose('outcome', { type: DeliveryOutcome }),
  }),
});

type Missing = 'webhookId' | 'event' | 'attempts';
restType<typeof deliverySchema, Missing, LoggedDelivery>(WebhookDeliveryType, deliverySchema, (t) => ({
  webhookId: t.id({ nullable: true, resolve: ({ endpointId }) => endpointId }),
  event: t.exposeString('eventKind'),
  redeliveryOf: t.exposeID('redeliveryOf', { nullable: true }),
  attempts: t.field({
    type: [WebhookAttempt],
    resolve: ({ id }, _args, { loaders }) => loaders.attemptsOfDelivery.load(id),
  }),
}));

const WebhookDeliveryConnection = connectionType('WebhookDelivery', WebhookDeliveryType);

const webhookId = z
  .string()
  .optional()
  .meta({ description: restText(listDeliveriesQuery.shape.webhookId) });

query('webhookDeliveries', {
  scope: 'webhooks',
  type: WebhookDeliveryConnection,
  description: 'Lists deliveries, newest first. Errors: BAD_USER_INPUT.',
  args: z.object({ ...pageArgs, webhookId }),
  async handle({ caller, args: { webhookId, ...page } }, { deliveries }: WebhookNeeds) {
    const toReceiver = webhookId === undefined ? {} : { endpointId: knownId('whk', webhookId) };
    return await deliveries.list(caller.account.id, { ...pageRequest(page), ...toReceiver });
  },
});

mutation('redeliverWebhook', {
  scope: 'webhooks',
  type: WebhookDeliveryType,
  description:
    'Sends the event of a delivery again to the same receiver, as a new delivery. Errors: NOT_FOUND, BAD_USER_INPUT for a deleted or disabled endpoint.',
  ids: { id: 'dlv' },
  handle: ({ caller, args: { id }, idempotencyKey }, { commands }: WebhookNeeds) =>
    commands.redeliverWebhook(caller, id, idempotencyKey),
});
