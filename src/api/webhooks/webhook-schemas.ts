import { z } from 'zod';
import type { WebhookEndpoint } from '../../database/webhooks/webhook-endpoints.ts';
import { DELIVERY_STATUSES } from '../../domain/events/delivery.ts';
import { DISABLED_REASONS } from '../../domain/events/disabling.ts';
import type { DeliveryAttempt, LoggedDelivery } from '../../domain/events/delivery.ts';
import { EVENT_KINDS, SENT_EVENT_KINDS } from '../../domain/events/events.ts';
import { isId } from '../../domain/ids.ts';
import type { WebhookDeliveryRepresentation, WebhookRepresentation } from '../../domain/representations/webhook.ts';
import { httpUrl, recordId } from '../schemas/fields.ts';
import { pageQuery } from '../schemas/paging.ts';

export const createWebhookBody = z
  .strictObject({
    url: httpUrl.meta({
      description: 'https address of the receiver. Every event of the account goes there, signed.',
      example: 'https://example.com/hooks',
    }),
    events: z
      .array(z.enum(EVENT_KINDS))
      .min(1)
      .max(20)
      .optional()
      .meta({ description: 'Kinds of events to send. Absent: all.', example: ['enhanced_image.status_update'] }),
  })
  .meta({ id: 'CreateWebhook' });

export const changeWebhookBody = z
  .strictObject({
    url: createWebhookBody.shape.url.optional(),
    events: createWebhookBody.shape.events.unwrap().optional().meta({ description: 'Kinds of events to send.' }),
    enabled: z.boolean().optional().meta({
      description: 'False disables the endpoint: nothing is sent, and open deliveries end as FAILED. True enables it.',
    }),
  })
  .refine((change) => Object.keys(change).length > 0, 'expected at least one of url, events and enabled')
  .meta({ id: 'ChangeWebhook' });

export const redeliverFailedBody = z
  .strictObject({
    since: z.iso
      .datetime({ offset: true })
      .transform((text) => new Date(text).toISOString())
      .meta({
        description: 'Time of the oldest delivery to repeat.',
        example: '2026-01-31T09:30:00Z',
        override: { type: 'string', format: 'date-time' },
      }),
  })
  .meta({ id: 'RedeliverFailed' });

export const redeliveredSchema = z
  .object({
    deliveryIds: z.array(z.string()).meta({ description: 'The new deliveries, in the order of the old ones.' }),
    more: z.boolean().meta({ description: 'Whether failed deliveries are left. Send the request again for them.' }),
  })
  .meta({ id: 'Redelivered' });

const shape = {
  id: recordId('whk'),
  url: z.string(),
  events: z.array(z.enum(EVENT_KINDS)),
  createdAt: z.iso.datetime(),
  disabledAt: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'Nothing is sent since then; null while it is enabled.' }),
  disabledReason: z.enum(DISABLED_REASONS).nullable().meta({
    description:
      '`gone`: the receiver answered 410. `failing`: all attempts failed for five days. `request`: you disabled it.',
  }),
  failingSince: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'The first failure since the last success; null while deliveries succeed.' }),
};
export const webhookSchema = z.object(shape).meta({ id: 'Webhook', description: 'An endpoint that receives events.' });
export const webhookWithSecretSchema = z
  .object({
    ...shape,
    secret: z.string().nullable().meta({
      description:
        'Signs deliveries as in Standard Webhooks. Shown this once: null when the same request is repeated under its `Idempotency-Key`.',
      example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    }),
  })
  .meta({ id: 'WebhookWithSecret' });

export function representWebhook({
  id,
  url,
  events,
  createdAt,
  disabledAt,
  disabledReason,
  failingSince,
}: WebhookEndpoint): WebhookRepresentation {
  return { id, url, events, createdAt, disabledAt, disabledReason, failingSince };
}

const attemptSchema = z
  .object({
    number: z.int().meta({ description: 'From 1.' }),
    at: z.iso.datetime(),
    httpStatus: z.int().nullable().meta({ description: 'Null when no answer came.' }),
    latencyMs: z.int().meta({ description: 'Milliseconds until the answer, or until the attempt was given up.' }),
    answer: z.string().meta({ description: 'First 1,000 bytes of the answer, or why none came.' }),
    outcome: z.enum(['delivered', 'failed', 'gone']),
  })
  .meta({ id: 'DeliveryAttempt' });

export const deliverySchema = z
  .object({
    id: recordId('dlv'),
    webhookId: z.string().nullable().meta({ description: 'The endpoint; null for the `webhookUrl` of an upload.' }),
    url: z.string(),
    eventId: z.string().meta({ description: 'The same in every attempt and in every delivery of the event.' }),
    event: z.enum(SENT_EVENT_KINDS),
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.array(attemptSchema),
    nextAttemptAt: z.iso.datetime().nullable(),
    redeliveryOf: z.string().nullable().meta({ description: 'The delivery that this one repeats on request.' }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'WebhookDelivery', description: 'Sending one event to one receiver, with all its attempts.' });

export function representDelivery(
  delivery: LoggedDelivery,
  attempts: readonly DeliveryAttempt[],
): WebhookDeliveryRepresentation {
  return {
    id: delivery.id,
    webhookId: delivery.endpointId,
    url: delivery.url,
    eventId: delivery.eventId,
    event: delivery.eventKind,
    status: delivery.status,
    attempts: attempts.map(({ retryAfterMs: _, ...attempt }) => attempt),
    nextAttemptAt: delivery.nextAttemptAt,
    redeliveryOf: delivery.redeliveryOf,
    createdAt: delivery.createdAt,
  };
}

export const listDeliveriesQuery = pageQuery.extend({
  webhookId: z
    .string()
    .max(100)
    .refine((text) => isId('whk', text), 'expected the id of a webhook')
    .optional()
    .meta({ description: 'Only deliveries to this endpoint.', example: 'whk_01jz8k3v5wq4m2n7p9r6s8t0xy' }),
});
