import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { listDeliveriesQuery } from '../schemas/paging.ts';
import { deliverySchema } from '../webhooks/delivery-operations.ts';
import { createWebhookBody, webhookSchema, webhookWithSecretSchema } from '../webhooks/webhook-operations.ts';
import {
  acceptedAnswer,
  answer,
  goneAnswer,
  idempotencyHeader,
  listAnswer,
  pageAnswer,
  problems,
} from './responses.ts';

const tags = ['Webhooks'];
const path = z.object({
  id: z.string().meta({ description: 'Id of the endpoint', example: 'whk_01jz8k3v5wq4m2n7p9r6s8t0xy' }),
});
const deliveryPath = z.object({
  id: z.string().meta({ description: 'Id of the delivery', example: 'dlv_01jz8k3v5wq4m2n7p9r6s8t0xy' }),
});
const header = idempotencyHeader;

export const webhookPaths: ZodOpenApiPathsObject = {
  '/v1/webhooks': {
    post: {
      operationId: 'createWebhook',
      tags,
      summary: 'Register an address for events',
      description: [
        'An account has at most five. The secret is shown once; a lost one is replaced with `rotate-secret`.',
        'What is sent is `{ id, event, data, created }`, signed as Standard Webhooks describe it: headers `webhook-id`, `webhook-timestamp`, `webhook-signature`. Any 2xx is success, a redirect is a failure, 410 disables the endpoint. A failed attempt is repeated up to nine times within 24 hours.',
      ].join('\n\n'),
      requestParams: { header },
      requestBody: {
        required: true,
        content: { 'application/json': { schema: createWebhookBody, example: { url: 'https://example.com/hooks' } } },
      },
      responses: {
        '201': acceptedAnswer('The endpoint, with its secret.', webhookWithSecretSchema),
        ...problems('NOT_FOUND', 'URL_NOT_ALLOWED'),
      },
    },
    get: {
      operationId: 'listWebhooks',
      tags,
      summary: 'List the endpoints',
      responses: { '200': listAnswer(webhookSchema), ...problems() },
    },
  },
  '/v1/webhooks/{id}': {
    get: {
      operationId: 'getWebhook',
      tags,
      summary: 'Read an endpoint',
      requestParams: { path },
      responses: { '200': answer('The endpoint.', webhookSchema), ...problems('NOT_FOUND') },
    },
    delete: {
      operationId: 'deleteWebhook',
      tags,
      summary: 'Remove an endpoint',
      description: 'Deliveries to it that are under way end as FAILED; their log stays.',
      requestParams: { path, header },
      responses: { '204': goneAnswer('It is removed.'), ...problems('NOT_FOUND') },
    },
  },
  '/v1/webhooks/{id}/rotate-secret': {
    post: {
      operationId: 'rotateWebhookSecret',
      tags,
      summary: 'Replace the secret of an endpoint',
      description: 'For 24 hours what is sent carries two signatures, by the new secret and by the one before.',
      requestParams: { path, header },
      responses: {
        '200': answer('The endpoint, with its new secret.', webhookWithSecretSchema),
        ...problems('NOT_FOUND'),
      },
    },
  },
  '/v1/webhooks/{id}/test': {
    post: {
      operationId: 'testWebhook',
      tags,
      summary: 'Send a test event to an endpoint',
      description:
        'An event of kind `webhook.test`, signed and logged as any other, to this endpoint alone, whichever kinds it wants.',
      requestParams: { path, header },
      responses: { '202': acceptedAnswer('The delivery.', deliverySchema), ...problems('NOT_FOUND') },
    },
  },
  '/v1/webhook-deliveries': {
    get: {
      operationId: 'listWebhookDeliveries',
      tags,
      summary: 'List deliveries with their attempts, newest first',
      requestParams: { query: listDeliveriesQuery },
      responses: { '200': pageAnswer(deliverySchema), ...problems() },
    },
  },
  '/v1/webhook-deliveries/{id}': {
    get: {
      operationId: 'getWebhookDelivery',
      tags,
      summary: 'Read a delivery and its attempts',
      requestParams: { path: deliveryPath },
      responses: { '200': answer('The delivery as it stands.', deliverySchema), ...problems('NOT_FOUND') },
    },
  },
  '/v1/webhook-deliveries/{id}/redeliver': {
    post: {
      operationId: 'redeliverWebhook',
      tags,
      summary: 'Send the event of a delivery again',
      description:
        'The same event goes to the same receiver as a delivery of its own, with all its attempts. The one that it repeats stays in the log as it was.',
      requestParams: { path: deliveryPath, header },
      responses: { '202': acceptedAnswer('The new delivery.', deliverySchema), ...problems('NOT_FOUND') },
    },
  },
};
