import { EVENT_KINDS } from '../../../domain/events/events.ts';
import { createApiKeyBody } from '../../api-keys/api-key-operations.ts';
import { createWebhookBody } from '../../webhooks/webhook-operations.ts';
import { builder } from '../builder.ts';
import { knownId, withoutNulls } from '../input.ts';
import { ApiKeyScope } from '../enums.ts';
import { CreateApiKeyPayload } from '../../api-keys/api-key-graphql.ts';
import { Deleted, Settings } from '../types/payloads.ts';
import { WebhookDeliveryType } from '../record-types.ts';
import { WebhookWithSecretPayload } from '../../webhooks/webhook-graphql.ts';

builder.mutationFields((t) => ({
  updateFileRetention: t.field({
    type: Settings,
    nullable: true,
    description: 'Sets how long new uploads are kept; those that exist keep theirs. Errors: BAD_USER_INPUT.',
    args: { days: t.arg.int({ required: true, description: 'Days, 1 to 365.' }) },
    resolve: async (_root, { days }, { deps, caller, keyFor }, info) => {
      const account = await deps.commands.updateFileRetention(caller, days, await keyFor(info));
      return { uploadRetentionDays: account.retentionDays };
    },
  }),
  createWebhook: t.field({
    type: WebhookWithSecretPayload,
    nullable: true,
    description: 'Registers an endpoint; an account has at most 5. Errors: BAD_USER_INPUT, URL_NOT_ALLOWED.',
    args: {
      url: t.arg.string({
        required: true,
        description: 'https address that hears of every event of the account, signed; at most 2048 characters.',
      }),
      events: t.arg.stringList({
        description: `Kinds of events to send: ${EVENT_KINDS.join(', ')}. Absent: all of them.`,
      }),
    },
    resolve: async (_root, args, { deps, caller, keyFor }, info) => {
      const { url, events = EVENT_KINDS } = createWebhookBody.parse(withoutNulls(args));
      return await deps.commands.createWebhook(caller, { url, events }, await keyFor(info));
    },
  }),
  deleteWebhook: t.field({
    type: Deleted,
    nullable: true,
    description: 'Removes an endpoint and ends its deliveries under way; their log stays. Errors: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'Id of the endpoint.' }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) => {
      await deps.commands.deleteWebhook(caller, knownId('whk', id), await keyFor(info));
      return { id };
    },
  }),
  rotateWebhookSecret: t.field({
    type: WebhookWithSecretPayload,
    nullable: true,
    description: 'Makes a new secret; for 24 hours deliveries are signed with the old one too. Errors: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'Id of the endpoint.' }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) =>
      await deps.commands.rotateWebhookSecret(caller, knownId('whk', id), await keyFor(info)),
  }),
  redeliverWebhook: t.field({
    type: WebhookDeliveryType,
    nullable: true,
    description:
      'Sends the event of a delivery to the same receiver again, as a delivery of its own. Errors: NOT_FOUND, BAD_USER_INPUT when the endpoint is gone.',
    args: { id: t.arg.id({ required: true, description: 'Id of the delivery.' }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) =>
      await deps.commands.redeliverWebhook(caller, knownId('dlv', id), await keyFor(info)),
  }),
  testWebhook: t.field({
    type: WebhookDeliveryType,
    nullable: true,
    description:
      'Sends an event of kind `webhook.test` to an endpoint, whichever kinds it wants. Errors: NOT_FOUND, BAD_USER_INPUT when the endpoint is disabled.',
    args: { id: t.arg.id({ required: true, description: 'Id of the endpoint.' }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) =>
      await deps.commands.testWebhook(caller, knownId('whk', id), await keyFor(info)),
  }),
  createApiKey: t.field({
    type: CreateApiKeyPayload,
    nullable: true,
    description:
      'Makes an API key, which is shown once. Errors: BAD_USER_INPUT, also when the account has 100; FORBIDDEN for a key that may more than the one that asks.',
    args: {
      name: t.arg.string({ required: true, description: 'What the key is for, 1 to 100 characters.' }),
      scopes: t.arg({
        type: [ApiKeyScope],
        description: 'What the key may do, at most what the one may that asks. Absent: the same.',
      }),
      expiresAt: t.arg({
        type: 'DateTime',
        description: 'When the key stops being good, at the latest when the one does that asks. Absent: the same.',
      }),
    },
    resolve: async (_root, args, { deps, caller, keyFor }, info) => {
      const wanted = createApiKeyBody.parse(withoutNulls(args));
      return await deps.commands.createApiKey(caller, wanted, await keyFor(info));
    },
  }),
  deleteApiKey: t.field({
    type: Deleted,
    nullable: true,
    description: 'Deletes an API key, which fails within a second; also the one that asks. Errors: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'Id of the key.' }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) => {
      await deps.commands.deleteApiKey(caller, knownId('key', id), await keyFor(info));
      return { id };
    },
  }),
}));
