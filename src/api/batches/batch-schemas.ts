import { z } from 'zod';
import {
  BUCKET_KEY_FAULT,
  isBucketKey,
  MAX_BUCKET_KEY_BYTES,
  BATCH_LIMITS,
  countPending,
  explainBatch,
  explainBatchItem,
  DEFAULT_SAMPLES,
  type BatchItemState,
  type BatchPauseReason,
  type BatchStatus,
  type CountedBatch,
  formatNumber,
  isId,
  representParameters,
} from '@burnish/contract';
import { enhancementList, flattened, hintAtUnknown, parametersSchema } from '@burnish/contract/schemas';
import type { BatchItems } from '../../database/batches/batch-items.ts';
import { bucketItem, type NewBatchItem } from '../../domain/batch/batch-rules.ts';
import { remainingSeconds } from '../../domain/batch/prediction.ts';
import { presetReference, spending } from '../enhancements/enhancement-order-schemas.ts';
import { representEnhancement } from '../enhancements/enhancement-schemas.ts';
import type { FileUrls } from '../files/file-urls.ts';
import { batchDestinationSchema, bucketName } from '../enhancements/destination-schemas.ts';
import { describedEnum } from '../schemas/enums.ts';
import { pageQuery } from '../schemas/paging.ts';
import { explanation } from '../schemas/explanation.ts';
import { errorCode, labelFields, httpUrl, plainText, recordId, reference, timestamp } from '../schemas/fields.ts';

export const batchStatus = describedEnum<BatchStatus>(
  'BatchStatus',
  'Batch status. FINISHED and CANCELLED are final.',
  {
    COLLECTING: 'The batch accepts items. Its samples start when it is closed.',
    SAMPLING: 'The samples run.',
    APPROVAL_NEEDED: 'The samples have ended. `prediction` is set, and the rest waits for approval.',
    RUNNING: 'Items run, as many at a time as the batch allows.',
    PAUSED: 'No further items start; `pauseReason` gives the reason. Running items end.',
    CANCELLING: 'Pending items are cancelled, and running items end.',
    CANCELLED: 'Cancelled on request. Finished items keep their results.',
    FINISHED: 'Every item has ended. Failed items can be tried again.',
  },
);

export const batchPauseReason = describedEnum<BatchPauseReason>('BatchPauseReason', 'Reason of a pause.', {
  request: 'Request of the account.',
  budget: '`maxCredits` does not cover a further item. Resume the batch with a higher number.',
  credits: 'The account has too few credits. Resume the batch after a top-up.',
});

export const batchItemState = describedEnum<BatchItemState>('BatchItemState', 'State of an item.', {
  PENDING: 'The item has not started.',
  RUNNING: 'The upload of the item exists, or is about to start.',
  FINISHED: 'The result exists.',
  FAILED: 'The item failed; `errorCode` gives the reason. Nothing is charged.',
  CANCELLED: 'The item was cancelled. Nothing is charged.',
});

const number = (description: string) => z.int().meta({ description });

export const batchCountsSchema = z
  .strictObject({
    items: number('All items.'),
    pending: number('Items that have not started.'),
    running: number('Items that run.'),
    finished: number('Items with a result.'),
    failed: number('Items that failed.'),
    cancelled: number('Items that were cancelled.'),
  })
  .meta({ id: 'BatchCounts', description: 'Numbers of items by state.' });

export const batchPredictionSchema = z
  .strictObject({
    credits: number('Credits of the whole batch, with those of the samples.'),
    seconds: number('Seconds from the approval to the end.'),
    failures: number('Items of the whole batch that fail.'),
  })
  .meta({
    id: 'BatchPrediction',
    description: 'Prediction from the samples. Each sample stands for an equal number of items.',
  });

const maxCredits = spending.maxCredits.meta({
  description: 'Credits of all items together. The batch pauses before it exceeds them. Absent: no limit.',
  example: 5000,
});

export const batchEnhancementSchema = z
  .strictObject(
    {
      ...parametersSchema.shape,
      preset: presetReference.optional(),
      destination: batchDestinationSchema
        .optional()
        .meta({ description: 'Registered bucket of all results, with the template of their keys.' }),
    },
    hintAtUnknown('In a batch, an enhancement has parameters, preset and destination.'),
  )
  .meta({
    id: 'BatchEnhancement',
    description: 'The enhancement of each file. Image parameters refuse PDFs, and PDF parameters refuse images.',
  });

const fields = {
  id: recordId('bat'),
  status: batchStatus.schema,
  pauseReason: batchPauseReason.schema.nullable().meta({ description: 'Reason of the pause. Null unless PAUSED.' }),
  reference: labelFields.reference,
};
const totals = {
  counts: batchCountsSchema,
  chargedCredits: number('Credits charged for ended items.'),
  maxCredits: z.int().nullable().meta({ description: 'Credits of all items together. Null: no limit.' }),
  prediction: batchPredictionSchema
    .nullable()
    .meta({ description: 'Prediction from the samples. Null before their end, and without samples.' }),
};

export const batchSchema = z
  .object({
    ...fields,
    enhancements: z.array(batchEnhancementSchema).meta({
      description: 'The enhancement of each file, with the parameters of its preset, and the version of the preset.',
    }),
    samples: number('Items that run before the approval. 0: the batch needs no approval.'),
    ...totals,
    explanation,
    remainingSeconds: z.int().nullable().meta({
      description:
        'Seconds until the end, from the prediction and, more and more, from the pace of the last items. Null unless the batch is RUNNING and closed.',
    }),
    createdAt: timestamp.meta({ description: 'Time of creation.' }),
    closedAt: timestamp.nullable().meta({ description: 'Time from which the batch accepts no items. Null before.' }),
    approvedAt: timestamp.nullable().meta({ description: 'Time of the approval. Null before, and without samples.' }),
    finishedAt: timestamp.nullable().meta({ description: 'Time at which every item had ended. Null before.' }),
  })
  .meta({ id: 'Batch', description: 'Many files with the same parameters, under one approval.' });
export type BatchRepresentation = z.infer<typeof batchSchema>;

/** Data of the events about a batch. */
export const batchEventFields = { ...fields, ...totals };

export const createBatchBody = z
  .strictObject({
    enhancements: enhancementList(flattened(batchEnhancementSchema), { max: 1 }).meta({
      description: 'The enhancement of each file. A batch has one; make further batches for further enhancements.',
    }),
    maxCredits: maxCredits.optional(),
    samples: z
      .number()
      .int()
      .min(0)
      .max(BATCH_LIMITS.samples)
      .optional()
      .meta({
        description: `Items that run before the approval, spread over types and sizes. 0: the batch runs at once, without approval. Default ${DEFAULT_SAMPLES}.`,
        example: DEFAULT_SAMPLES,
      }),
    reference: reference.optional(),
  })
  .meta({ id: 'CreateBatch', description: 'A batch.' });
export type BatchOrder = z.infer<typeof createBatchBody>;

export const resumeBatchBody = z
  .strictObject({ maxCredits: maxCredits.optional() })
  .optional()
  .meta({ id: 'ResumeBatch' });

const MAX_KEY_LENGTH = 200;

export const newBatchItemSchema = z
  .strictObject({
    url: httpUrl.optional().meta({
      description: 'Public http or https URL of the file. Either this, `uploadId`, or `bucket` with `key`.',
      example: 'https://example.com/photo.jpg',
    }),
    uploadId: z
      .string()
      .refine((text) => isId('upl', text), 'expected the id of an upload')
      .optional()
      .meta({ description: 'Id of an upload of the account. Either this, `url`, or `bucket` with `key`.' }),
    bucket: bucketName.optional(),
    key: plainText(MAX_BUCKET_KEY_BYTES)
      .optional()
      .meta({
        description: `With \`bucket\`: key of the file below the prefix of the bucket; the item has the key \`bucket/key\`. Without it: at most ${MAX_KEY_LENGTH} characters, by default \`uploadId\` or \`url\`, with a hash in place of its query. Lines with equal keys are one item.`,
      }),
    reference: reference.optional(),
  })
  .superRefine(({ url, uploadId, bucket, key }, context) => {
    const sources = [url, uploadId, bucket].filter((each) => each !== undefined);
    if (sources.length !== 1 || (bucket !== undefined && key === undefined))
      context.addIssue({ code: 'custom', message: 'expected either url or uploadId, or bucket with key' });
    else if (bucket !== undefined && !isBucketKey(key!))
      context.addIssue({ code: 'custom', path: ['key'], message: BUCKET_KEY_FAULT });
    else if (bucket === undefined && key !== undefined && key.length > MAX_KEY_LENGTH)
      context.addIssue({ code: 'custom', path: ['key'], message: `expected at most ${MAX_KEY_LENGTH} characters` });
  })
  .transform(({ url = null, uploadId = null, bucket, key, reference: own = null }): NewBatchItem =>
    bucket === undefined
      ? { key: key ?? url ?? uploadId!, url, uploadId, reference: own }
      : bucketItem(bucket, key!, own),
  )
  .meta({
    id: 'NewBatchItem',
    description: 'One input of a batch.',
    example: { url: 'https://example.com/photo.jpg' },
  });

/** `POST /v1/batches/{id}/prefix`. */
export const batchPrefixSchema = z
  .strictObject({
    bucket: bucketName,
    prefix: z
      .string()
      .max(MAX_BUCKET_KEY_BYTES)
      .refine((text) => text === '' || isBucketKey(text), BUCKET_KEY_FAULT)
      .optional()
      .meta({ description: 'Start of the keys below the prefix of the bucket. Default: all keys.', example: 'in/' }),
  })
  .meta({ id: 'BatchPrefix', description: 'Files of a registered bucket, by the start of their keys.' });
export type BucketFiles = z.infer<typeof batchPrefixSchema>;

export const addedItemsSchema = z
  .object({
    added: number('Inputs that became items.'),
    repeated: number('Inputs with the key of an equal earlier item, which changed nothing.'),
  })
  .meta({ id: 'AddedBatchItems', description: 'Added items.' });
export type AddedBatchItems = z.infer<typeof addedItemsSchema>;

export const batchItemSchema = z
  .object({
    key: z.string().meta({ description: 'Key of the item, unique in the batch. For a bucket: `bucket/key`.' }),
    url: z.string().nullable().meta({ description: 'Given URL of the file, without its query. Null without one.' }),
    bucket: z.string().nullable().meta({ description: 'Registered bucket of the file. Null without one.' }),
    reference: labelFields.reference,
    state: batchItemState.schema,
    sample: z.boolean().meta({ description: 'Whether the item is a sample.' }),
    uploadId: recordId('upl').nullable().meta({ description: 'Upload of the item. Null before its start.' }),
    enhancementId: recordId('enh').nullable().meta({ description: 'Enhancement of the item. Null before its start.' }),
    credits: z.int().nullable().meta({ description: 'Charged credits. Null before the end of the item.' }),
    errorCode: errorCode.nullable().meta({ description: 'Reason of the failure. Null unless FAILED.' }),
    explanation,
    resultUrl: z.url().nullable().meta({
      description: 'Signed URL of the result, valid for 23 to 24 hours. Null unless FINISHED, and after a deletion.',
    }),
  })
  .meta({ id: 'BatchItem', description: 'One input of a batch with its result, price or error code.' });
export type BatchItemRepresentation = z.infer<typeof batchItemSchema>;

/** `GET /v1/batches/{id}/items`. */
export const listItemsQuery = pageQuery.extend({
  state: batchItemState.schema.optional().meta({ description: 'Only items in this state.', example: 'FAILED' }),
});

export const MAX_ITEMS_TEXT = formatNumber(BATCH_LIMITS.items);

export function representBatch(batch: CountedBatch): BatchRepresentation {
  const { id, status, pauseReason, reference: own, parameters, preset = null, destination = null, samples } = batch;
  const { prediction, chargedCredits } = batch;
  const { items, running, finished, failed, cancelled, createdAt, closedAt, approvedAt, finishedAt } = batch;
  return {
    ...{
      id,
      status,
      pauseReason,
      reference: own,
      enhancements: [
        { ...representParameters(parameters), ...(preset && { preset }), ...(destination && { destination }) },
      ],
      maxCredits: batch.maxCredits,
      samples,
    },
    counts: { items, pending: countPending(batch), running, finished, failed, cancelled },
    explanation: explainBatch(batch),
    remainingSeconds: remainingSeconds(batch),
    ...{ chargedCredits, prediction, createdAt, closedAt, approvedAt, finishedAt },
  };
}

type ListedItem = Awaited<ReturnType<BatchItems['list']>>[number];

export function representBatchItem({ item, enhancement }: ListedItem, urls: FileUrls): BatchItemRepresentation {
  const { key, url, bucket = null, reference: own, state, sample, uploadId, enhancementId, credits } = item;
  const isThere = state === 'FINISHED' && enhancement !== null && (enhancement.deletedAt ?? null) === null;
  const result = isThere ? representEnhancement(enhancement, urls) : null;
  const failure = state === 'FAILED' ? item.errorCode : (result?.errorCode ?? null);
  return {
    ...{ key, url, bucket, reference: own, state, sample, uploadId, enhancementId, credits },
    errorCode: failure,
    explanation: explainBatchItem(failure),
    resultUrl: result?.fullUrl ?? null,
  };
}
