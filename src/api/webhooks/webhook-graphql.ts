import { z } from 'zod';
import { EVENT_KINDS } from '@burnish/contract';
import { MAX_REDELIVERIES } from '../../domain/events/delivery.ts';
import { requireRecord } from '../commands/checks.ts';
import { builder } from '../graphql/builder.ts';
import { restText } from '../graphql/described-schema.ts';
import { PUBLIC_SERVICE } from '../graphql/public-service.ts';
import { DeletePayload } from '../graphql/delete-payload.ts';
import { restInput } from '../graphql/rest-inputs.ts';
import { restType } from '../graphql/rest-types.ts';
import { mutation, query } from '../graphql/root-fields.ts';
import type { WebhookWithSecret, WebhookNeeds } from './webhook-commands.ts';
import { WebhookDeliveryType, WebhookType } from './webhook-types.ts';
import {
  changeWebhookBody,
  createWebhookBody,
  redeliveredSchema,
  redeliverFailedBody,
  webhookSchema,
  webhookWithSecretSchema,
} from './webhook-schemas.ts';

restType(WebhookType, webhookSchema, (t) => ({
  secret: t.string({
    nullable: true,
    description: `${PUBLIC_SERVICE} always null here; \`createWebhook\` shows the secret once.`,
    resolve: () => null,
  }),
}));

const WebhookWithSecretPayload = builder.objectRef<WebhookWithSecret>('WebhookWithSecret').implement({
  description: restText(webhookWithSecretSchema),
  fields: (t) => ({
    webhook: t.expose('endpoint', { type: WebhookType, description: 'The endpoint.' }),
    secret: t.exposeString('secret', { nullable: true, description: restText(webhookWithSecretSchema.shape.secret) }),
    id: t.id({ description: `${PUBLIC_SERVICE} \`webhook.id\`.`, resolve: ({ endpoint }) => endpoint.id }),
    url: t.string({ description: `${PUBLIC_SERVICE} \`webhook.url\`.`, resolve: ({ endpoint }) => endpoint.url }),
    createdAt: t.field({
      type: 'DateTime',
      description: `${PUBLIC_SERVICE} \`webhook.createdAt\`.`,
      resolve: ({ endpoint }) => endpoint.createdAt,
    }),
  }),
});

const Redelivered = restType('Redelivered', redeliveredSchema, (t) => ({ deliveryIds: t.exposeIDList('deliveryIds') }));

const publicInput = createWebhookBody
  .omit({ events: true })
  .meta({ description: `${PUBLIC_SERVICE} input of \`createWebhook\`.` });
restInput('CreateWebhookInput', publicInput);

query('webhook', {
  scope: 'webhooks',
  type: WebhookType,
  nullable: true,
  description: `${PUBLIC_SERVICE} reads an endpoint. Errors: NOT_FOUND.`,
  ids: { id: 'whk' },
  handle: async ({ caller, args: { id } }, { webhookEndpoints }: WebhookNeeds) =>
    requireRecord(await webhookEndpoints.get(caller.account.id, id)),
});

query('webhooks', {
  scope: 'webhooks',
  type: [WebhookType],
  description: 'Lists the endpoints of the account, oldest first. An account has at most 5.',
  handle: ({ caller }, { webhookEndpoints }: WebhookNeeds) => webhookEndpoints.list(caller.account.id),
});

const { url, ...others } = createWebhookBody.shape;

mutation('createWebhook', {
  scope: 'webhooks',
  type: WebhookWithSecretPayload,
  description: 'Registers an endpoint. An account has at most 5. Errors: BAD_USER_INPUT, URL_NOT_ALLOWED.',
  args: z
    .object({
      url: url.optional(),
      input: publicInput.optional().meta({ description: `${PUBLIC_SERVICE} instead of \`url\` and \`events\`.` }),
      ...others,
    })
    .refine(({ input, ...named }) => input === undefined || Object.keys(named).length === 0, {
      path: ['input'],
      message: 'expected either input, or its fields',
    }),
  handle({ caller, args: { input, ...named }, idempotencyKey }, { commands }: WebhookNeeds) {
    const { events: wanted = EVENT_KINDS, ...order } = createWebhookBody.parse(input ?? named);
    return commands.createWebhook(caller, { ...order, events: wanted }, idempotencyKey);
  },
});

mutation('updateWebhook', {
  scope: 'webhooks',
  type: WebhookType,
  description:
    'Changes, disables or enables an endpoint. Absent fields stay unchanged. Errors: NOT_FOUND, BAD_USER_INPUT, URL_NOT_ALLOWED.',
  ids: { id: 'whk' },
  args: changeWebhookBody,
  handle: ({ caller, args: { id, ...change }, idempotencyKey }, { commands }: WebhookNeeds) =>
    commands.changeWebhook(caller, id, change, idempotencyKey),
});

mutation('redeliverFailed', {
  scope: 'webhooks',
  type: Redelivered,
  description: `Repeats the failed deliveries to an endpoint since a time, at most ${MAX_REDELIVERIES} per request. Errors: NOT_FOUND, BAD_USER_INPUT for a disabled endpoint.`,
  ids: { id: 'whk' },
  args: redeliverFailedBody,
  handle: ({ caller, args: { id, since }, idempotencyKey }, { commands }: WebhookNeeds) =>
    commands.redeliverFailed(caller, id, since, idempotencyKey),
});

mutation('deleteWebhook', {
  scope: 'webhooks',
  type: DeletePayload,
  description: 'Deletes an endpoint. Its pending deliveries fail; the delivery log remains. Errors: NOT_FOUND.',
  ids: { id: 'whk' },
  async handle({ caller, args: { id }, idempotencyKey }, { commands }: WebhookNeeds) {
    await commands.deleteWebhook(caller, id, idempotencyKey);
    return { id };
  },
});

mutation('rotateWebhookSecret', {
  scope: 'webhooks',
  type: WebhookWithSecretPayload,
  description:
    'Replaces the secret of an endpoint. For 24 hours, deliveries have signatures of both secrets. Errors: NOT_FOUND.',
  ids: { id: 'whk' },
  handle: ({ caller, args: { id }, idempotencyKey }, { commands }: WebhookNeeds) =>
    commands.rotateWebhookSecret(caller, id, idempotencyKey),
});

mutation('testWebhook', {
  scope: 'webhooks',
  type: WebhookDeliveryType,
  description:
    'Sends an event of kind `webhook.test` to an endpoint, independent of its `events`. Errors: NOT_FOUND, BAD_USER_INPUT for a disabled endpoint.',
  ids: { id: 'whk' },
  handle: ({ caller, args: { id }, idempotencyKey }, { commands }: WebhookNeeds) =>
    commands.testWebhook(caller, id, idempotencyKey),
});
