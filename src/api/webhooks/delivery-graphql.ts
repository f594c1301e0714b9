import type { DeliveryAttempt } from '../../domain/events/delivery.ts';
import { builder } from '../graphql/builder.ts';
import { DeliveryOutcome, DeliveryStatus } from '../graphql/enums.ts';
import { connectionType, pageArgs, pageRequest } from '../graphql/connection.ts';
import { knownId } from '../graphql/input.ts';
import { WebhookDeliveryType } from '../graphql/record-types.ts';

const WebhookAttempt = builder.objectRef<DeliveryAttempt>('WebhookAttempt').implement({
  description: 'One attempt of a delivery.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: '1 is the first; there are at most 10.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was made.' }),
    httpStatus: t.exposeInt('httpStatus', { nullable: true, description: 'HTTP status; null when no answer came.' }),
    latency: t.int({
      description: 'Milliseconds until the answer, at most 15000.',
      resolve: ({ latencyMs }) => Math.round(latencyMs),
    }),
    answer: t.exposeString('answer', { description: 'The first 1,000 bytes of the answer, or why none came.' }),
    outcome: t.expose('outcome', { type: DeliveryOutcome, description: 'What it came to.' }),
  }),
});

WebhookDeliveryType.implement({
  description: 'The sending of one event to one address, with its attempts.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the delivery, `dlv_…`.' }),
    webhookId: t.id({
      nullable: true,
      description: 'The registered endpoint; null for the `webhookUrl` of an upload.',
      resolve: ({ endpointId }) => endpointId,
    }),
    url: t.exposeString('url', { description: 'Where the event is sent to.' }),
    eventId: t.exposeID('eventId', { description: 'Identifier of the event, `evt_…`; the same in every attempt.' }),
    event: t.exposeString('eventKind', { description: 'Kind of the event, such as `upload.deleted`.' }),
    status: t.expose('status', { type: DeliveryStatus, description: 'State of the delivery.' }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next attempt is due; null when there will be none.',
    }),
    redeliveryOf: t.exposeID('redeliveryOf', {
      nullable: true,
      description: 'The delivery that this one repeats by request; null for a first one.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the delivery was created.' }),
    attempts: t.field({
      type: [WebhookAttempt],
      description: 'The attempts, in order.',
      resolve: ({ id }, _args, { loaders }) => loaders.attemptsOfDelivery.load(id),
    }),
  }),
});

const WebhookDeliveryConnection = connectionType('WebhookDelivery', WebhookDeliveryType);

builder.queryFields((t) => ({
  webhookDeliveries: t.field({
    scope: 'webhooks',
    type: WebhookDeliveryConnection,
    description: 'The log of deliveries, the newest first. BAD_USER_INPUT for a page that cannot be.',
    args: {
      ...pageArgs,
      webhookId: t.arg.id({ description: 'Only deliveries to this endpoint; also of one that has been deleted.' }),
    },
    resolve: async (_root, { webhookId, ...page }, { deps, caller }) => {
      const request = {
        ...pageRequest(page),
        ...(typeof webhookId === 'string' ? { endpointId: knownId('whk', webhookId) } : {}),
      };
      return await deps.deliveries.list(caller.account.id, request);
    },
  }),
}));

builder.mutationFields((t) => ({
  redeliverWebhook: t.field({
    scope: 'webhooks',
    type: WebhookDeliveryType,
    nullable: true,
    description:
      'Sends the event of a delivery to the same receiver again, as a delivery of its own. Errors: NOT_FOUND, BAD_USER_INPUT when the endpoint is gone.',
    args: { id: t.arg.id({ required: true, description: 'Id of the delivery.' }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) =>
      await deps.commands.redeliverWebhook(caller, knownId('dlv', id), await keyFor(info)),
  }),
}));
