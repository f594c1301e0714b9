import { EVENT_KINDS } from '@burnish/contract';
import { MAX_REDELIVERIES } from '../../domain/events/delivery.ts';
import { requireRecord } from '../commands/checks.ts';
import { accepted, created, noContent, ok, page } from '../rest/answers.ts';
import { idPath, operation } from '../rest/operation.ts';
import { oldestFirst, pageOf, shortListQuery } from '../schemas/paging.ts';
import { locatedDelivery } from './delivery-operations.ts';
import type { WebhookNeeds } from './webhook-commands.ts';
import {
  changeWebhookBody,
  createWebhookBody,
  deliverySchema,
  redeliveredSchema,
  redeliverFailedBody,
  representWebhook,
  representWithSecret,
  webhookSchema,
  webhookWithSecretSchema,
} from './webhook-schemas.ts';

const tag = 'Webhooks';
const parameters = idPath('whk');

/** `/v1/webhooks`: endpoints that receive events. */
export const webhookOperations = [
  operation({
    operationId: 'createWebhook',
    scope: 'webhooks',
    method: 'post',
    path: '/v1/webhooks',
    tag,
    summary: 'Register an endpoint for events',
    description: [
      'An account has at most five endpoints. The response shows the secret once. Replace a lost secret with `rotate-secret`.',
      'A delivery is `{ id, event, data, created }`, signed as in Standard Webhooks: headers `webhook-id`, `webhook-timestamp`, `webhook-signature`. A 2xx response confirms the event. Redirects and errors are failures, and 410 disables the endpoint. Burnish retries up to nine times within 24 hours.',
    ].join('\n\n'),
    body: createWebhookBody,
    example: { url: 'https://example.com/hooks' },
    answer: created('The endpoint, with its secret.', webhookWithSecretSchema),
    failures: ['NOT_FOUND', 'URL_NOT_ALLOWED'],
    async handle({ caller, body: { events = EVENT_KINDS, ...order }, idempotencyKey }, { commands }: WebhookNeeds) {
      const made = await commands.createWebhook(caller, { ...order, events }, idempotencyKey);
      return { location: `/v1/webhooks/${made.endpoint.id}`, body: representWithSecret(made) };
    },
  }),

  operation({
    operationId: 'listWebhooks',
    graphql: { field: 'webhooks' },
    scope: 'webhooks',
    method: 'get',
    path: '/v1/webhooks',
    tag,
    summary: 'List the endpoints, oldest first',
    description: 'The secrets cannot be read.',
    query: shortListQuery,
    answer: page(webhookSchema),
    handle: async ({ caller, query }, { webhookEndpoints }: WebhookNeeds) =>
      pageOf((await webhookEndpoints.list(caller.account.id)).map(representWebhook), oldestFirst, query),
  }),

  operation({
    operationId: 'getWebhook',
    graphql: { field: 'webhook' },
    scope: 'webhooks',
    method: 'get',
    path: '/v1/webhooks/{id}',
    tag,
    summary: 'Read an endpoint',
    description: 'The secret cannot be read.',
    parameters,
    answer: ok('The endpoint.', webhookSchema),
    failures: ['NOT_FOUND'],
    handle: async ({ caller, parameters: { id } }, { webhookEndpoints }: WebhookNeeds) =>
      representWebhook(requireRecord(await webhookEndpoints.get(caller.account.id, id))),
  }),

  operation({
    operationId: 'updateWebhook',
    graphql: { field: 'updateWebhook' },
    scope: 'webhooks',
    method: 'patch',
    path: '/v1/webhooks/{id}',
    tag,
    summary: 'Change, disable or enable an endpoint',
    description: 'Absent fields stay unchanged. A disabled endpoint misses events, also after it is enabled again.',
    parameters,
    body: changeWebhookBody,
    example: { enabled: false },
    answer: ok('The endpoint.', webhookSchema),
    failures: ['NOT_FOUND', 'URL_NOT_ALLOWED'],
    handle: async ({ caller, parameters: { id }, body, idempotencyKey }, { commands }: WebhookNeeds) =>
      representWebhook(await commands.changeWebhook(caller, id, body, idempotencyKey)),
  }),

  operation({
    operationId: 'redeliverFailedWebhookDeliveries',
    graphql: { field: 'redeliverFailed' },
    scope: 'webhooks',
    method: 'post',
    path: '/v1/webhooks/{id}/redeliver-failed',
    tag,
    summary: 'Repeat failed deliveries since a time',
    description: `Repeats FAILED deliveries that have no repetition, oldest first, at most ${MAX_REDELIVERIES} per request. A disabled endpoint answers BAD_USER_INPUT.`,
    parameters,
    body: redeliverFailedBody,
    example: { since: '2026-01-31T09:30:00Z' },
    answer: ok('The new deliveries.', redeliveredSchema),
    failures: ['NOT_FOUND'],
    handle: ({ caller, parameters: { id }, body: { since }, idempotencyKey }, { commands }: WebhookNeeds) =>
      commands.redeliverFailed(caller, id, since, idempotencyKey),
  }),

  operation({
    operationId: 'deleteWebhook',
    graphql: { field: 'deleteWebhook' },
    scope: 'webhooks',
    method: 'delete',
    path: '/v1/webhooks/{id}',
    tag,
    summary: 'Delete an endpoint',
    description: 'Pending deliveries become FAILED. The delivery log remains.',
    parameters,
    answer: noContent('The endpoint is deleted.'),
    failures: ['NOT_FOUND'],
    handle: ({ caller, parameters: { id }, idempotencyKey }, { commands }: WebhookNeeds) =>
      commands.deleteWebhook(caller, id, idempotencyKey),
  }),

  operation({
    operationId: 'rotateWebhookSecret',
    graphql: { field: 'rotateWebhookSecret' },
    scope: 'webhooks',
    method: 'post',
    path: '/v1/webhooks/{id}/rotate-secret',
    tag,
    summary: 'Replace the secret of an endpoint',
    description: 'For 24 hours, deliveries have signatures of both secrets.',
    parameters,
    answer: ok('The endpoint, with its new secret.', webhookWithSecretSchema),
    failures: ['NOT_FOUND'],
    handle: async ({ caller, parameters: { id }, idempotencyKey }, { commands }: WebhookNeeds) =>
      representWithSecret(await commands.rotateWebhookSecret(caller, id, idempotencyKey)),
  }),

  operation({
    operationId: 'testWebhook',
    graphql: { field: 'testWebhook' },
    scope: 'webhooks',
    method: 'post',
    path: '/v1/webhooks/{id}/test',
    tag,
    summary: 'Send a test event to an endpoint',
    description:
      'The event has the kind `webhook.test`. It is signed, logged and sent only to this endpoint, independent of its `events`. A disabled endpoint answers BAD_USER_INPUT.',
    parameters,
    answer: accepted('The delivery.', deliverySchema),
    failures: ['NOT_FOUND'],
    handle: async ({ caller, parameters: { id }, idempotencyKey }, { commands, deliveries }: WebhookNeeds) =>
      locatedDelivery(await commands.testWebhook(caller, id, idempotencyKey), deliveries),
  }),
];
