import { MAX_REDELIVERIES } from '../../domain/events/delivery.ts';
import { EVENT_KINDS } from '../../domain/events/events.ts';
import { Failure } from '../../domain/failures.ts';
import { requireRecord } from '../commands/checks.ts';
import { builder } from '../graphql/builder.ts';
import { WebhookFormatEnum } from '../graphql/enums.ts';
import { restText } from '../graphql/described-schema.ts';
import { PUBLIC_SERVICE } from '../graphql/public-service.ts';
import { knownId, withoutNulls } from '../graphql/input.ts';
import { DeletePayload, WebhookDeliveryType, WebhookType } from '../graphql/record-types.ts';
import { restType } from '../graphql/rest-types.ts';
import type { WebhookWithSecret } from './webhook-commands.ts';
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

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: `${PUBLIC_SERVICE} input of \`createWebhook\`.`,
  restSchema: createWebhookBody,
  fields: (t) => ({ url: t.string({ required: true }), format: t.field({ type: WebhookFormatEnum }) }),
});

builder.queryFields((t) => ({
  webhook: t.field({
    scope: 'webhooks',
    type: WebhookType,
    nullable: true,
    description: `${PUBLIC_SERVICE} reads an endpoint. Errors: NOT_FOUND.`,
    args: { id: t.arg.id({ required: true, description: restText(webhookSchema.shape.id) }) },
    resolve: async (_root, { id }, { deps, caller }) =>
      requireRecord(await deps.webhookEndpoints.get(caller.account.id, knownId('whk', id))),
  }),
  webhooks: t.field({
    scope: 'webhooks',
    type: [WebhookType],
    description: 'Lists the endpoints of the account, oldest first. An account has at most 5.',
    resolve: (_root, _args, { deps, caller }) => deps.webhookEndpoints.list(caller.account.id),
  }),
}));

builder.mutationFields((t) => ({
  createWebhook: t.field({
    scope: 'webhooks',
    type: WebhookWithSecretPayload,
    nullable: true,
    description: 'Registers an endpoint. An account has at most 5. Errors: BAD_USER_INPUT, URL_NOT_ALLOWED.',
    restSchema: createWebhookBody,
    args: {
      url: t.arg.string(),
      input: t.arg({ type: CreateWebhookInput, description: `${PUBLIC_SERVICE} instead of \`url\` and \`events\`.` }),
      events: t.arg.stringList(),
      format: t.arg({ type: WebhookFormatEnum }),
    },
    resolve: async (_root, args, { deps, caller, keyFor }, info) => {
      const { input, ...named } = args;
      if (input && (named.url ?? named.events ?? named.format ?? null) !== null) {
        throw new Failure('BAD_USER_INPUT', {
          field: 'input',
          detail: 'Send either input, or url, events and format.',
        });
      }
      const { events = EVENT_KINDS, ...order } = createWebhookBody.parse(withoutNulls(input ?? named));
      return await deps.commands.createWebhook(caller, { ...order, events }, await keyFor(info));
    },
  }),
  updateWebhook: t.field({
    scope: 'webhooks',
    type: WebhookType,
    nullable: true,
    description:
      'Changes, disables or enables an endpoint. Absent fields stay unchanged. Errors: NOT_FOUND, BAD_USER_INPUT, URL_NOT_ALLOWED.',
    restSchema: changeWebhookBody,
    args: {
      id: t.arg.id({ required: true, description: restText(webhookSchema.shape.id) }),
      url: t.arg.string(),
      events: t.arg.stringList(),
      format: t.arg({ type: WebhookFormatEnum }),
      enabled: t.arg.boolean(),
    },
    resolve: async (_root, { id, ...given }, { deps, caller, keyFor }, info) => {
      const change = changeWebhookBody.parse(withoutNulls(given));
      return await deps.commands.changeWebhook(caller, knownId('whk', id), change, await keyFor(info));
    },
  }),
  redeliverFailed: t.field({
    scope: 'webhooks',
    type: Redelivered,
    nullable: true,
    description: `Repeats the failed deliveries to an endpoint since a time, at most ${MAX_REDELIVERIES} per request. Errors: NOT_FOUND, BAD_USER_INPUT for a disabled endpoint.`,
    restSchema: redeliverFailedBody,
    args: {
      id: t.arg.id({ required: true, description: restText(webhookSchema.shape.id) }),
      since: t.arg({ type: 'DateTime', required: true }),
    },
    resolve: async (_root, { id, since }, { deps, caller, keyFor }, info) =>
      await deps.commands.redeliverFailed(caller, knownId('whk', id), since, await keyFor(info)),
  }),
  deleteWebhook: t.field({
    scope: 'webhooks',
    type: DeletePayload,
    nullable: true,
    description: 'Deletes an endpoint. Its pending deliveries fail; the delivery log remains. Errors: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: restText(webhookSchema.shape.id) }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) => {
      await deps.commands.deleteWebhook(caller, knownId('whk', id), await keyFor(info));
      return { id };
    },
  }),
  rotateWebhookSecret: t.field({
    scope: 'webhooks',
    type: WebhookWithSecretPayload,
    nullable: true,
    description:
      'Replaces the secret of an endpoint. For 24 hours, deliveries have signatures of both secrets. Errors: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: restText(webhookSchema.shape.id) }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) =>
      await deps.commands.rotateWebhookSecret(caller, knownId('whk', id), await keyFor(info)),
  }),
  testWebhook: t.field({
    scope: 'webhooks',
    type: WebhookDeliveryType,
    nullable: true,
    description:
      'Sends an event of kind `webhook.test` to an endpoint, independent of its `events`. Errors: NOT_FOUND, BAD_USER_INPUT for a disabled endpoint.',
    args: { id: t.arg.id({ required: true, description: restText(webhookSchema.shape.id) }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) =>
      await deps.commands.testWebhook(caller, knownId('whk', id), await keyFor(info)),
  }),
}));
