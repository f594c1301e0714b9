import { z } from 'zod';
import { MAX_PAGE_CHOICES, MAX_BUCKET_KEY_BYTES, BATCH_EVENT_KINDS } from '@burnish/contract';
import type {
  BeginStep,
  DestinationStep,
  EnhancementStep,
  UploadStep,
} from '../../database/uploads/lifecycle-steps.ts';
import type { BatchStep } from '../../database/batches/batches.ts';
import { MAX_EARLIER } from '../../domain/enhancement/paid-work.ts';
import { MAX_RETRIED_KEYS, MAX_SHOWN_KEY_LENGTH } from '../../domain/batch/batch-rules.ts';
import { ownerIn, resultKey } from '../../domain/files/object-keys.ts';
import {
  address,
  count,
  id,
  MAX_ITEMS,
  mediaType,
  milliseconds,
  name,
  objectKey,
  parameters,
  plan,
  remoteId,
  sha256,
  type Shape,
  text,
  textLanguages,
  time,
  waitingFor,
} from './fields.ts';
import {
  batch,
  bucketDestination,
  credits,
  destination,
  enhancement,
  recordedEvent,
  result,
  upload,
} from './records.ts';

const enhancementId = id('enh');
const deliveryId = id('dlv');

const sourceFile = z.object({
  uploadId: id('upl'),
  objectKey,
  mimetype: mediaType,
  originalFilename: name,
  /** Bytes */
  size: count,
  /** Hex SHA-256 */
  sha256,
  /** Set for the work of a test account */
  provider: z.literal('test').exactOptional(),
});

/** Source of an enhancement: the facts that decide whether two enhancements are the same. */
const enhancementSource = z.object({
  /** Hex SHA-256 of the original */
  sha256,
  mimetype: mediaType,
  plan,
});

const estimateJob = {
  enhancementId,
  source: sourceFile,
  parameters,
  plan,
  /** For a PDF, the pages that each paid enhancement with these parameters left as they are (`PaidWork`) */
  paidExcept: z.array(z.array(z.int().positive()).max(MAX_PAGE_CHOICES)).max(MAX_EARLIER).exactOptional(),
};
const enhanceJob = {
  ...estimateJob,
  /** Object key of the result. The same job always writes the same key, so a retry overwrites only its own output. */
  resultKey: objectKey,
};
/** An enhancement to begin at the hosted service. Beginning is not idempotent there. */
const hostedEnhancementJob = {
  accountId: id('acc'),
  enhancementId,
  remoteUploadId: remoteId,
  mimetype: mediaType,
  parameters,
};

function ofItsEnhancement<
  S extends z.ZodType<{ enhancementId: string; resultKey?: string | undefined; workKey?: string }>,
>(job: S) {
  return job.refine(({ enhancementId, resultKey: made, workKey }) => {
    const owner = ownerIn(made ?? workKey ?? '');
    const own = owner && resultKey(owner.accountId, owner.uploadId, enhancementId);
    return (made ?? own) === own && (workKey === undefined || workKey.startsWith(`${own}/work/`));
  }, 'expected keys of the enhancement');
}

/** Input schema of each activity, and the only declaration of its type; null for an activity without input. */
export const SCHEMAS = {
  recordUpload: z.object({ upload, sentence: text, announce: recordedEvent.nullable() } satisfies Shape<UploadStep>),
  beginEnhancement: z.object({
    enhancement,
    source: enhancementSource,
    sentence: text,
    reuse: z.boolean(),
    credits: credits.nullable(),
    nowMs: milliseconds,
    announce: recordedEvent.nullable(),
  } satisfies Shape<Omit<BeginStep, 'facts'>> & { source: z.ZodType }),
  recordEnhancement: z.object({
    enhancement,
    /** Null when the enhancement never had a file */
    source: enhancementSource.nullable(),
    sentence: text,
    settle: z.union([z.object({ capture: credits }), z.literal('release')]).nullable(),
    nowMs: milliseconds,
    announce: recordedEvent.nullable(),
  } satisfies Shape<Omit<EnhancementStep, 'facts'>> & { source: z.ZodType }),

  recordDestination: z.object({
    enhancementId,
    uploadId: id('upl'),
    accountId: id('acc'),
    revision: count,
    destination,
    waitingFor: waitingFor.nullable(),
    sentence: text,
    announce: recordedEvent.nullable(),
  } satisfies Shape<DestinationStep>),
  writeToDestination: z.object({ accountId: id('acc'), uploadId: id('upl'), enhancementId, destination, result }),

  downloadUpload: z.object({
    accountId: id('acc'),
    uploadId: id('upl'),
    url: address,
    /** Whether the upload adopts the file name from the HTTP response */
    unnamed: z.boolean(),
  }),
  readFromBucket: z.object({
    accountId: id('acc'),
    uploadId: id('upl'),
    bucket: name,
    key: z.string().max(MAX_BUCKET_KEY_BYTES),
  }),
  deleteUploadFiles: z.object({ accountId: id('acc'), uploadId: id('upl') }),
  deleteResult: z.object({ objectKey }),
  deleteWork: z.object({ resultKey: objectKey }),
  /** @property expected bytes of the copied result */
  copyResult: z.object({ from: objectKey, to: objectKey, expected: z.object({ size: count, sha256 }) }),
  adoptFile: z.object({ from: objectKey, to: objectKey }),
  takeIncoming: z.object({ from: objectKey, to: objectKey }),
  joinParts: z.object({ accountId: id('acc'), uploadId: id('upl') }),

  recordRedelivery: z.object({ accountId: id('acc'), deliveryId, redeliveryOf: deliveryId }),
  attemptDelivery: z.object({
    deliveryId,
    /** 1-based */
    number: z.int().positive(),
    /** Time of the next attempt if this one fails; null for the last attempt */
    nextAttemptAt: time.nullable(),
  }),
  notifyReceivers: z.object({
    deliveryIds: z.array(deliveryId).max(MAX_ITEMS),
    /** Time of the next attempt for deliveries that fail */
    nextAttemptAt: time,
  }),

  recordBatch: z.object({
    batch,
    announce: z.object({ kind: z.enum(BATCH_EVENT_KINDS), eventKey: name, created: time }).nullable(),
  } satisfies Shape<BatchStep>),
  advanceBatch: z.object({
    batchId: id('bat'),
    accountId: id('acc'),
    parameters,
    preset: name.nullable(),
    destination: bucketDestination.nullable(),
    maxCredits: count.nullable(),
    /** Items to start; `cancel` ends all of them */
    stage: z.enum(['none', 'samples', 'all', 'cancel']),
  }),
  chooseBatchSamples: z.object({ batchId: id('bat'), samples: count }),
  predictBatch: z.object({ accountId: id('acc'), batchId: id('bat') }),
  retryBatchItems: z.object({
    batchId: id('bat'),
    keys: z.array(z.string().max(MAX_SHOWN_KEY_LENGTH)).max(MAX_RETRIED_KEYS).exactOptional(),
  }),

  inspectImage: sourceFile,
  inspectLargeImage: sourceFile,
  analyze: sourceFile,
  // The workflow passes its complete job, which includes the result key.
  estimate: ofItsEnhancement(z.object({ ...estimateJob, resultKey: objectKey.exactOptional() })),
  enhance: ofItsEnhancement(z.object(enhanceJob)),
  inspectAndEnhance: ofItsEnhancement(z.object(enhanceJob)),
  enhancePdfSpan: ofItsEnhancement(
    z.object({ enhancementId, source: sourceFile, workKey: objectKey, from: count, to: count, text: textLanguages }),
  ),
  assemblePdf: ofItsEnhancement(
    z.object({
      ...enhanceJob,
      workKey: objectKey,
      images: count,
      text: textLanguages,
    }),
  ),

  placeRemoteUpload: z.object({
    accountId: id('acc'),
    source: sourceFile,
    /** Bytes */
    size: count,
    /** Source URL of the file, from which the service can fetch it; null: the file is streamed from Burnish's storage */
    url: address.nullable(),
    retentionDays: count,
  }),
  readRemoteUpload: z.object({ remoteUploadId: remoteId }),
  analyzeRemoteUpload: z.object({ remoteUploadId: remoteId }),
  readRemoteCredits: null,
  beginRemoteEnhancement: z.object(hostedEnhancementJob),
  findLostEnhancement: z.object({ ...hostedEnhancementJob, sinceMs: milliseconds }),
  readRemoteEnhancement: z.object({ remoteEnhancementId: remoteId }),
  collectRemoteResult: ofItsEnhancement(
    z.object({ enhancementId, remoteEnhancementId: remoteId, source: sourceFile, resultKey: objectKey }),
  ),
  deleteRemoteUpload: z.object({ uploadId: id('upl') }),
  claimSlot: z.object({ accountId: id('acc'), enhancementId }),
  releaseSlot: z.object({ enhancementId }),
  proveStores: null,
  proveDecoder: null,
} satisfies Record<string, z.ZodType | null>;

type WithoutInput = 'readRemoteCredits' | 'proveStores' | 'proveDecoder';
export type Input<Activity extends Exclude<keyof typeof SCHEMAS, WithoutInput>> = z.infer<(typeof SCHEMAS)[Activity]>;

export type SourceFile = z.infer<typeof sourceFile>;
export type EnhancementSource = z.infer<typeof enhancementSource>;
