import { z } from 'zod';
import type { ZodOpenApiObject } from 'zod-openapi';
import { ENHANCEMENT_STATUSES } from '../../domain/enhancement/enhancement.ts';
import { DISABLED_REASONS } from '../../domain/events/disabling.ts';
import { EVENT_WORDS, SENT_EVENT_KINDS, TEST_EVENT_KIND } from '../../domain/events/events.ts';
import type { SentEventKind } from '../../domain/events/events.ts';
import { UPLOAD_STATUSES, UPLOAD_SUB_STATUSES } from '../../domain/upload/upload.ts';
import { LOW_CREDIT_LEVELS } from '../../domain/accounts/credits.ts';
import { errorCode, labels, recordId, timestamp } from '../schemas/fields.ts';
import { pdfAnalysisSchema } from '../uploads/upload-schemas.ts';

const analysis = {
  id: recordId('upl'),
  status: z.enum(UPLOAD_STATUSES),
  subStatus: z.enum(UPLOAD_SUB_STATUSES).nullable(),
  metadata: pdfAnalysisSchema.nullable(),
};

/** The data of each kind of event from `src/domain/events`, with the caller's labels. */
export const EVENT_DATA = {
  'upload.status_update': z.strictObject({ ...analysis, errorCode: errorCode.nullable(), ...labels }),
  'upload.sub_status_update': z.strictObject({ ...analysis, ...labels }),
  'enhanced_image.status_update': z.strictObject({
    id: recordId('enh'),
    uploadId: recordId('upl'),
    status: z.enum(ENHANCEMENT_STATUSES),
    filename: z.string().nullable(),
    engineDuration: z.number().nullable().meta({ description: 'Milliseconds of engine time.' }),
    estimatedCredits: z.number().nullable(),
    chargedCredits: z.number().nullable(),
    errorCode: errorCode.nullable(),
    ...labels,
  }),
  'credits.low': z.strictObject({
    level: z.union(LOW_CREDIT_LEVELS.map((level) => z.literal(level))).meta({
      description: 'Percent of what the period grants. Each is announced once a period, and again after a top-up.',
    }),
    grantedCreditsThisPeriod: z.number(),
    remainingCreditsThisPeriod: z.number(),
    periodStart: timestamp,
    periodEnd: timestamp,
  }),
  'webhook.disabled': z.strictObject({
    id: recordId('whk'),
    disabledReason: z.enum(DISABLED_REASONS).meta({
      description: '`gone`: the receiver answered 410. `failing`: all attempts failed for five days.',
    }),
    disabledAt: timestamp,
    failingSince: timestamp.nullable(),
  }),
  'upload.deleted': z.strictObject({
    id: recordId('upl'),
    status: z.enum(UPLOAD_STATUSES),
    reason: z.enum(['user', 'retention']).nullable(),
    deletedAt: timestamp.nullable(),
    ...labels,
  }),
  [TEST_EVENT_KIND]: z.strictObject({ webhookId: recordId('whk'), message: z.string() }),
} satisfies Record<SentEventKind, z.ZodObject>;

const signature = z.object({
  'webhook-id': z.string().meta({ description: 'Id of the event; the same in every attempt.' }),
  'webhook-timestamp': z.string().meta({ description: 'Seconds since 1970, when the attempt was signed.' }),
  'webhook-signature': z.string().meta({ description: '`v1,` and the Base64 HMAC-SHA256, as in Standard Webhooks.' }),
});

/** The section `webhooks` of the OpenAPI document: the requests to webhook receivers. */
export const eventWebhooks: NonNullable<ZodOpenApiObject['webhooks']> = Object.fromEntries(
  SENT_EVENT_KINDS.map((kind) => [
    kind,
    {
      post: {
        operationId: `receive ${kind}`.replace(/[ ._](\w)/g, (_, letter: string) => letter.toUpperCase()),
        tags: ['Webhooks'],
        security: [],
        summary: EVENT_WORDS[kind],
        description:
          'Any 2xx is success, a redirect is a failure, 410 disables the endpoint, as five days of failures do. Verify the signature.',
        requestParams: { header: signature },
        requestBody: { required: true, content: { 'application/json': { schema: eventSchema(kind) } } },
        responses: {
          '2XX': { description: 'The event has been received.' },
          '4XX': { description: 'A failure: the attempt is repeated, except after 410.' },
        },
      },
    },
  ]),
);

function eventSchema(kind: SentEventKind): z.ZodType {
  return z.object({
    id: recordId('evt'),
    event: z.literal(kind),
    data: EVENT_DATA[kind],
    created: timestamp,
  });
}
