import { MAX_REDELIVERIES } from '../../domain/events/delivery.ts';
import { EVENT_KINDS } from '../../domain/events/events.ts';
import { Failure } from '../../domain/failures.ts';
import { requireRecord } from '../commands/checks.ts';
import { builder } from '../graphql/builder.ts';
import { WebhookDisabledReason } from '../graphql/enums.ts';
import { PUBLIC_SERVICE } from '../graphql/public-service.ts';
import { knownId, withoutNulls } from '../graphql/input.ts';
import { DeletePayload, WebhookDeliveryType, WebhookType } from '../graphql/record-types.ts';
import type { WebhookWithSecret } from './webhook-commands.ts';
import { changeWebhookBody, createWebhookBody } from './webhook-schemas.ts';

WebhookType.implement({
  description: 'A registered address that events of the account are sent to.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the endpoint, `whk_…`.' }),
    url: t.exposeString('url', { description: 'Where events are sent to.' }),
    events: t.exposeStringList('events', { description: `Kinds of events that are sent: ${EVENT_KINDS.join(', ')}.` }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was registered.' }),
    secret: t.string({
      nullable: true,
      description: `${PUBLIC_SERVICE} always null here; the secret is shown once, by \`createWebhook\`.`,
      resolve: () => null,
    }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was disabled; null while it is enabled.',
    }),
    disabledReason: t.expose('disabledReason', {
      type: WebhookDisabledReason,
      nullable: true,
      description: 'Why it is disabled; null while it is enabled.',
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description: 'The first failure since the last success; null while deliveries succeed.',
    }),
  }),
});

const WebhookWithSecretPayload = builder.objectRef<WebhookWithSecret>('WebhookWithSecret').implement({
  description: 'An endpoint with the secret that its deliveries are signed with.',
  fields: (t) => ({
    webhook: t.expose('endpoint', { type: WebhookType, description: 'The endpoint.' }),
    secret: t.exposeString('secret', {
      nullable: true,
      description:
        'Secret of the Standard Webhooks signature, `whsec_…`, shown this once; null in the answer to a repetition with the same Idempotency-Key.',
    }),
    id: t.id({ description: `${PUBLIC_SERVICE} \`webhook.id\`.`, resolve: ({ endpoint }) => endpoint.id }),
    url: t.string({ description: `${PUBLIC_SERVICE} \`webhook.url\`.`, resolve: ({ endpoint }) => endpoint.url }),
    createdAt: t.field({
      type: 'DateTime',
      description: `${PUBLIC_SERVICE} \`webhook.createdAt\`.`,
      resolve: ({ endpoint }) => endpoint.createdAt,
    }),
  }),
});

const Redelivered = builder.objectRef<{ deliveryIds: string[]; more: boolean }>('Redelivered').implement({
  description: 'Deliveries that have begun again.',
  fields: (t) => ({
    deliveryIds: t.exposeIDList('deliveryIds', { description: 'The new deliveries, in the order of the old ones.' }),
    more: t.exposeBoolean('more', { description: 'Whether failed deliveries are left. Send the request again.' }),
  }),
});

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'An endpoint as the public service takes it.',
  fields: (t) => ({
    url: t.string({ required: true, description: 'https address that receives every event of the account.' }),
  }),
});

builder.queryFields((t) => ({
  webhook: t.field({
    scope: 'webhooks',
    type: WebhookType,
    nullable: true,
    description: `${PUBLIC_SERVICE} one endpoint of \`webhooks\`. Errors: NOT_FOUND.`,
    args: { id: t.arg.id({ required: true, description: 'Id of the endpoint.' }) },
    resolve: async (_root, { id }, { deps, caller }) =>
      requireRecord(await deps.webhookEndpoints.get(caller.account.id, knownId('whk', id))),
  }),
  webhooks: t.field({
    scope: 'webhooks',
    type: [WebhookType],
    description: 'The registered endpoints of the account, the oldest first; there are at most 5.',
    resolve: (_root, _args, { deps, caller }) => deps.webhookEndpoints.list(caller.account.id),
  }),
}));

builder.mutationFields((t) => ({
  createWebhook: t.field({
    scope: 'webhooks',
    type: WebhookWithSecretPayload,
    nullable: true,
    description: 'Registers an endpoint; an account has at most 5. Errors: BAD_USER_INPUT, URL_NOT_ALLOWED.',
    args: {
      url: t.arg.string({
        description: 'https address that receives every event of the account, signed; at most 2048 characters.',
      }),
      input: t.arg({ type: CreateWebhookInput, description: `${PUBLIC_SERVICE} in place of \`url\` and \`events\`.` }),
      events: t.arg.stringList({
        description: `Kinds of events to send: ${EVENT_KINDS.join(', ')}. Absent: all of them.`,
      }),
    },
    resolve: async (_root, args, { deps, caller, keyFor }, info) => {
      const { input, ...named } = args;
      if (input && (named.url ?? named.events ?? null) !== null) {
        throw new Failure('BAD_USER_INPUT', { field: 'input', detail: 'Send either input, or url and events.' });
      }
      const { url, events = EVENT_KINDS } = createWebhookBody.parse(withoutNulls(input ?? named));
      return await deps.commands.createWebhook(caller, { url, events }, await keyFor(info));
    },
  }),
  changeWebhook: t.field({
    scope: 'webhooks',
    type: WebhookType,
    nullable: true,
    description:
      'Changes the given fields of an endpoint, disables it or enables it. Errors: NOT_FOUND, BAD_USER_INPUT, URL_NOT_ALLOWED.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the endpoint.' }),
      url: t.arg.string({ description: 'https address of the receiver, at most 2048 characters.' }),
      events: t.arg.stringList({ description: `Kinds of events to send: ${EVENT_KINDS.join(', ')}.` }),
      enabled: t.arg.boolean({
        description: 'False: nothing is sent, and open deliveries end as FAILED. True: events are sent again.',
      }),
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
    description: `Sends all events to an endpoint again that failed since a time, at most ${MAX_REDELIVERIES} in a request. Errors: NOT_FOUND, BAD_USER_INPUT when the endpoint is disabled.`,
    args: {
      id: t.arg.id({ required: true, description: 'Id of the endpoint.' }),
      since: t.arg({ type: 'DateTime', required: true, description: 'Time of the oldest delivery to repeat.' }),
    },
    resolve: async (_root, { id, since }, { deps, caller, keyFor }, info) =>
      await deps.commands.redeliverFailed(caller, knownId('whk', id), since, await keyFor(info)),
  }),
  deleteWebhook: t.field({
    scope: 'webhooks',
    type: DeletePayload,
    nullable: true,
    description: 'Removes an endpoint and ends its deliveries under way; their log stays. Errors: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'Id of the endpoint.' }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) => {
      await deps.commands.deleteWebhook(caller, knownId('whk', id), await keyFor(info));
      return { id };
    },
  }),
  rotateWebhookSecret: t.field({
    scope: 'webhooks',
    type: WebhookWithSecretPayload,
    nullable: true,
    description: 'Makes a new secret; for 24 hours deliveries are signed with the old one too. Errors: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: 'Id of the endpoint.' }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) =>
      await deps.commands.rotateWebhookSecret(caller, knownId('whk', id), await keyFor(info)),
  }),
  testWebhook: t.field({
    scope: 'webhooks',
    type: WebhookDeliveryType,
    nullable: true,
    description:
      'Sends an event of kind `webhook.test` to an endpoint, whichever kinds it wants. Errors: NOT_FOUND, BAD_USER_INPUT when the endpoint is disabled.',
    args: { id: t.arg.id({ required: true, description: 'Id of the endpoint.' }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) =>
      await deps.commands.testWebhook(caller, knownId('whk', id), await keyFor(info)),
  }),
}));
