import { z } from 'zod';
import { LOW_CREDIT_LEVELS, type SentEventKind, TEST_EVENT_KIND } from '@burnish/contract';
import { batchEventFields } from '../batches/batch-schemas.ts';
import { destinationSchema } from '../enhancements/destination-schemas.ts';
import { deletionReason, disabledReason, enhancementStatus, uploadStatus, uploadSubStatus } from '../schemas/enums.ts';
import { errorCode, labels, recordId, timestamp } from '../schemas/fields.ts';
import { pdfAnalysisSchema } from '../uploads/upload-schemas.ts';

const analysis = {
  id: recordId('upl'),
  status: uploadStatus.schema,
  subStatus: uploadSubStatus.schema.nullable(),
  metadata: pdfAnalysisSchema.nullable(),
};

/** Named, so that generators make a class of it that also may lack a value. */
const eventData = <Shape extends z.ZodRawShape>(id: string, shape: Shape): z.ZodObject<Shape, z.core.$strict> =>
  z.strictObject(shape).meta({ id });

const batchEvent = eventData('BatchEvent', batchEventFields);

/** The data of each kind of event from `events` of the contract, with the caller's labels. */
export const EVENT_DATA = {
  'upload.status_update': eventData('UploadStatusUpdateEvent', {
    ...analysis,
    errorCode: errorCode.nullable(),
    ...labels,
  }),
  'upload.sub_status_update': eventData('UploadSubStatusUpdateEvent', { ...analysis, ...labels }),
  'enhanced_image.status_update': eventData('EnhancedImageStatusUpdateEvent', {
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
  'credits.low': eventData('CreditsLowEvent', {
    level: z.literal(LOW_CREDIT_LEVELS).meta({
      // Generated Java has no enumeration of decimals.
      override: { type: 'integer' },
      description:
        'Remaining credits in percent of the granted credits. Each level is sent once per period, and again after a top-up.',
    }),
    grantedCreditsThisPeriod: z.number(),
    remainingCreditsThisPeriod: z.number(),
    periodStart: timestamp,
    periodEnd: timestamp,
  }),
  'webhook.disabled': eventData('WebhookDisabledEvent', {
    id: recordId('whk'),
    disabledReason: disabledReason.schema,
    disabledAt: timestamp,
    failingSince: timestamp.nullable(),
  }),
  'upload.deleted': eventData('UploadDeletedEvent', {
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
  [TEST_EVENT_KIND]: eventData('WebhookTestEvent', { webhookId: recordId('whk'), message: z.string() }),
} satisfies Record<SentEventKind, z.ZodObject>;
