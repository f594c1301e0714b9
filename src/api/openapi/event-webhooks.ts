import { z } from 'zod';
import type { ZodOpenApiObject } from 'zod-openapi';
import { EVENT_WORDS, SENT_EVENT_KINDS, type SentEventKind } from '@burnish/contract';
import { recordId, timestamp } from '../schemas/fields.ts';
import { EVENT_DATA } from './event-data.ts';
import { EVENT_EXAMPLES } from './event-examples.ts';

const signature = z.object({
  'webhook-id': z
    .string()
    .meta({ description: 'Id of the event, equal in every attempt.', param: { id: 'WebhookId' } }),
  'webhook-timestamp': z
    .string()
    .meta({ description: 'Unix time of the signature in seconds.', param: { id: 'WebhookTimestamp' } }),
  'webhook-signature': z.string().meta({
    description: '`v1,` and the Base64 HMAC-SHA256, as in Standard Webhooks.',
    param: { id: 'WebhookSignature' },
  }),
});

/** The section `webhooks` of the OpenAPI document: the requests to webhook receivers. */
export const eventWebhooks: NonNullable<ZodOpenApiObject['webhooks']> = Object.fromEntries(
  SENT_EVENT_KINDS.map((kind) => [
    kind,
    {
      post: {
        operationId: `receive ${kind}`.replace(/[ ._](\w)/g, (_, letter: string) => letter.toUpperCase()),
        tags: ['Events'],
        security: [],
        summary: EVENT_WORDS[kind],
        description:
          'Verify the signature. A 2xx response confirms the event. Redirects and errors are failures. A 410 response or five days of failures disable the endpoint.',
        requestParams: { header: signature },
        requestBody: { required: true, content: { 'application/json': eventContent(kind) } },
        responses: {
          '2XX': { description: 'The event was received.' },
          '4XX': { description: 'The attempt failed. Burnish retries it, except after 410.' },
        },
      },
    },
  ]),
);

function eventContent(kind: SentEventKind): { schema: z.ZodType; example: object } {
  const schema = z.object({
    id: recordId('evt'),
    event: z.literal(kind),
    data: EVENT_DATA[kind],
    created: timestamp,
  });
  const envelope = { id: 'evt_01jz8k3v5wq4m2n7p9r6s8t0xy', event: kind, data: EVENT_EXAMPLES[kind] };
  return { schema, example: { ...envelope, created: '2026-01-31T09:30:00.000Z' } };
}
