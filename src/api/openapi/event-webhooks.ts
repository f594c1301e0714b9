import { z } from 'zod';
import type { ZodOpenApiObject } from 'zod-openapi';
import {
  EVENT_WORDS,
  SENT_EVENT_KINDS,
  TEST_EVENT_KIND,
  type SentEventKind,
  LOW_CREDIT_LEVELS,
} from '@burnish/contract';
import { deletionReason, disabledReason, enhancementStatus, uploadStatus, uploadSubStatus } from '../schemas/enums.ts';
import { batchEventFields } from '../batches/batch-schemas.ts';
import { destinationSchema } from '../enhancements/destination-schemas.ts';
import { errorCode, labels, recordId, timestamp } from '../schemas/fields.ts';
import { pdfAnalysisSchema } from '../uploads/upload-schemas.ts';
import { EVENT_EXAMPLES } from './event-examples.ts';

const analysis = {
  id: recordId('upl'),
  status: uploadStatus.schema,
  subStatus: uploadSubStatus.schema.nullable(),
  metadata: pdfAnalysisSchema.nullable(),
};

const batchEvent = z.strictObject(batchEventFields).meta({ id: 'BatchEvent', description: 'State of a batch.' });

/** The data of each kind of event from `events` of the contract, with the caller's labels. */
export const EVENT_DATA = {
  'upload.status_update': z.strictObject({ ...analysis, errorCode: errorCode.nullable(), ...labels }),
  'upload.sub_status_update': z.strictObject({ ...analysis, ...labels }),
  'enhanced_image.status_update': z.strictObject({
    id: recordId('enh'),
    uploadId: recordId('upl'),
    status: enhancementStatus.schema,
    filename: z.string().nullable(),
    engineDuration: z.number().nullable().meta({ description: 'Engine time in milliseconds.' }),
    estimatedCredits: z.number().nullable(),
    chargedCredits: z.number().nullable(),
    unchanged: z
      .boolean()
      .nullable()
      .meta({ description: 'No step changed a picture, so nothing was charged. Null until the engine ends.' }),
    errorCode: errorCode.nullable(),
    destination: destinationSchema.nullable(),
    ...labels,
  }),
  'credits.low': z.strictObject({
    level: z.union(LOW_CREDIT_LEVELS.map((level) => z.literal(level))).meta({
      description:
        'Remaining credits in percent of the granted credits. Each level is sent once per period, and again after a top-up.',
    }),
    grantedCreditsThisPeriod: z.number(),
    remainingCreditsThisPeriod: z.number(),
    periodStart: timestamp,
    periodEnd: timestamp,
  }),
  'webhook.disabled': z.strictObject({
    id: recordId('whk'),
    disabledReason: disabledReason.schema,
    disabledAt: timestamp,
    failingSince: timestamp.nullable(),
  }),
  'upload.deleted': z.strictObject({
    id: recordId('upl'),
    status: uploadStatus.schema,
    reason: deletionReason.schema.nullable(),
    deletedAt: timestamp.nullable(),
    ...labels,
  }),
  'batch.approval_needed': batchEvent,
  'batch.half_done': batchEvent,
  'batch.trouble': batchEvent,
  'batch.ended': batchEvent,
  [TEST_EVENT_KIND]: z.strictObject({ webhookId: recordId('whk'), message: z.string() }),
} satisfies Record<SentEventKind, z.ZodObject>;

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
