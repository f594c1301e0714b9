import { z } from 'zod';
import { EVENT_KINDS, explainDelivery, SENT_EVENT_KINDS, SUBSCRIPTIONS, isId } from '@burnish/contract';
import type { WebhookEndpoint } from '../../database/webhooks/webhook-endpoints.ts';
import type { DeliveryAttempt, LoggedDelivery } from '../../domain/events/delivery.ts';
import { attemptOutcome, deliveryStatus, disabledReason, webhookFormat } from '../schemas/enums.ts';
import { explanation } from '../schemas/explanation.ts';
import { httpUrl, recordId } from '../schemas/fields.ts';
import { asTime, moment } from '../schemas/moment.ts';
import { pageQuery } from '../schemas/paging.ts';

export const createWebhookBody = z
  .strictObject({
    url: httpUrl.meta({
      description: 'https URL of the receiver, at most 2048 characters. It receives events of the account, signed.',
      example: 'https://example.com/hooks',
    }),
    events: z
      .array(z.enum(SUBSCRIPTIONS))
      .min(1)
      .max(20)
      .optional()
      .meta({
        description: `Kinds of events to send: ${EVENT_KINDS.join(', ')}. \`*\`: all, also those of later versions. Absent: all of this version.`,
        example: ['enhanced_image.status_update'],
      }),
    format: webhookFormat.schema.optional().meta({ description: `${webhookFormat.description} Absent: BURNISH.` }),
  })
  .meta({ id: 'CreateWebhook' });

export const changeWebhookBody = z
  .strictObject({
    url: createWebhookBody.shape.url.optional(),
    events: createWebhookBody.shape.events
      .unwrap()
      .optional()
      .meta({ description: `Kinds of events to send: ${EVENT_KINDS.join(', ')}, or \`*\` for all.` }),
    format: webhookFormat.schema.optional(),
    enabled: z.boolean().optional().meta({
      description: 'False disables the endpoint and fails its pending deliveries. True enables it for new events.',
    }),
  })
  .refine((change) => Object.keys(change).length > 0, 'expected at least one field')
  .meta({ id: 'UpdateWebhook' });

export const redeliverFailedBody = z
  .strictObject({
    since: moment.meta({
      description: 'Time of the oldest delivery to repeat.',
      example: '2026-01-31T09:30:00Z',
      ...asTime,
    }),
  })
  .meta({ id: 'RedeliverFailed' });

export const redeliveredSchema = z
  .object({
    deliveryIds: z
      .array(z.string())
      .meta({ description: 'Ids of the new deliveries, in the order of the failed ones.' }),
    more: z.boolean().meta({ description: 'Whether failed deliveries remain. If so, repeat the request.' }),
  })
  .meta({ id: 'Redelivered', description: 'New deliveries of failed events.' });

const WHILE_ENABLED = 'Null while the endpoint is enabled.';

const shape = {
  id: recordId('whk'),
  url: z.string().meta({ description: 'URL of the receiver.' }),
  events: z
    .array(z.enum(SUBSCRIPTIONS))
    .meta({ description: 'Kinds of events that the endpoint receives, or `*` for all.' }),
  format: webhookFormat.schema,
  createdAt: z.iso.datetime().meta({ description: 'Time of creation.' }),
  disabledAt: z.iso
    .datetime()
    .nullable()
    .meta({ description: `Time at which the endpoint was disabled. ${WHILE_ENABLED}` }),
  disabledReason: disabledReason.schema
    .nullable()
    .meta({ description: `${disabledReason.description} ${WHILE_ENABLED}` }),
  failingSince: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'First failure since the last success. Null while deliveries succeed.' }),
};
export const webhookSchema = z
  .object(shape)
  .meta({ id: 'Webhook', description: 'A registered endpoint that receives events of the account.' });
export const webhookWithSecretSchema = z
  .object({
    ...shape,
    secret: z.string().nullable().meta({
      description:
        'Secret of the Standard Webhooks signature, shown once. Null in the response to a repeated request with the same `Idempotency-Key`.',
      example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    }),
  })
  .meta({ id: 'WebhookWithSecret', description: 'An endpoint with its signing secret.' });
type WebhookWithSecretRepresentation = z.infer<typeof webhookWithSecretSchema>;
export type WebhookRepresentation = z.infer<typeof webhookSchema>;

export function representWebhook({
  id,
  url,
  events,
  format,
  createdAt,
  disabledAt,
  disabledReason,
  failingSince,
}: WebhookEndpoint): WebhookRepresentation {
  return { id, url, events, format, createdAt, disabledAt, disabledReason, failingSince };
}

/** @param made an endpoint with its secret; null after the first answer */
export const representWithSecret = (made: {
  endpoint: WebhookEndpoint;
  secret: string | null;
}): WebhookWithSecretRepresentation => ({ ...representWebhook(made.endpoint), secret: made.secret });

const attemptSchema = z
  .object({
    number: z.int().meta({ description: 'Number of the attempt, from 1 to at most 10.' }),
    at: z.iso.datetime().meta({ description: 'Time of the attempt.' }),
    httpStatus: z.int().nullable().meta({ description: 'HTTP status of the response. Null without a response.' }),
    latencyMs: z.int().meta({ description: 'Milliseconds until the response or the timeout.' }),
    answer: z.string().meta({ description: 'First 1,000 bytes of the response, or the reason for its absence.' }),
    outcome: attemptOutcome.schema,
  })
  .meta({ id: 'DeliveryAttempt', description: 'One attempt of a delivery.' });

export const deliverySchema = z
  .object({
    id: recordId('dlv'),
    webhookId: z
      .string()
      .nullable()
      .meta({ description: 'Id of the endpoint. Null for the `webhookUrl` of an upload.' }),
    url: z.string().meta({ description: 'URL of the receiver.' }),
    eventId: z.string().meta({ description: 'Id of the event, equal in all its attempts and deliveries.' }),
    event: z.enum(SENT_EVENT_KINDS).meta({ description: 'Kind of the event, such as `upload.deleted`.' }),
    recordId: z.string().nullable().meta({
      description:
        'Id of the upload, enhancement, batch or endpoint of the event. Null for an event about the account.',
    }),
    uploadId: z
      .string()
      .nullable()
      .meta({ description: 'Id of the upload of the event. Null for an event about a batch or the account.' }),
    filename: z.string().nullable().meta({ description: 'Name of the file of the upload. Null without an upload.' }),
    status: deliveryStatus.schema,
    attempts: z.array(attemptSchema).meta({ description: 'Attempts, in order.' }),
    explanation,
    nextAttemptAt: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Time of the next attempt. Null without a further attempt.' }),
    redeliveryOf: z
      .string()
      .nullable()
      .meta({ description: 'Id of the delivery that this one repeats. Null for the first delivery.' }),
    createdAt: z.iso.datetime().meta({ description: 'Time of creation.' }),
  })
  .meta({ id: 'WebhookDelivery', description: 'Delivery of one event to one receiver, with all attempts.' });
export type WebhookDeliveryRepresentation = z.infer<typeof deliverySchema>;

export const deliveryWithBodySchema = deliverySchema
  .extend({
    body: z.string().meta({
      description: 'The JSON that the receiver gets, as it is signed.',
      example:
        '{"id":"evt_01jz8k3v5wq4m2n7p9r6s8t0xy","event":"upload.deleted","data":{},"created":"2026-01-31T09:30:00.000Z"}',
    }),
  })
  .meta({ id: 'WebhookDeliveryWithBody', description: 'A delivery with its attempts and its body.' });

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
    recordId: delivery.recordId,
    uploadId: delivery.uploadId,
    filename: delivery.filename,
    status: delivery.status,
    attempts: attempts.map(({ retryAfterMs: _, ...attempt }) => attempt),
    explanation: explainDelivery({ ...delivery, attempts }),
    nextAttemptAt: delivery.nextAttemptAt,
    redeliveryOf: delivery.redeliveryOf,
    createdAt: delivery.createdAt,
  };
}

export const listDeliveriesQuery = pageQuery.extend({
  webhookId: z
    .string()
    .max(100)
    .refine((text) => isId('whk', text), 'expected the id of an endpoint')
    .optional()
    .meta({
      description: 'Only deliveries to this endpoint, which may be deleted.',
      example: 'whk_01jz8k3v5wq4m2n7p9r6s8t0xy',
    }),
  status: deliveryStatus.schema
    .optional()
    .meta({ description: 'Only deliveries with this status.', example: 'FAILED' }),
  event: z
    .enum(SENT_EVENT_KINDS)
    .optional()
    .meta({ description: 'Only deliveries of this kind of event.', example: 'upload.deleted' }),
  uploadId: z
    .string()
    .max(100)
    .refine((text) => isId('upl', text), 'expected the id of an upload')
    .optional()
    .meta({
      description: 'Only deliveries about this upload and its enhancements.',
      example: 'upl_01jz8k3v5wq4m2n7p9r6s8t0xy',
    }),
});
