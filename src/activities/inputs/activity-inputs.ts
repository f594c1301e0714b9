import { z } from 'zod';
import type { UploadStep } from '../../database/uploads/lifecycle-steps.ts';
import { resultKey, ownerIn } from '../../domain/files/object-keys.ts';
import type { DownloadOrder } from '../files.ts';
import type {
  HostedService,
  HostedEnhancementJob,
  HostedResultJob,
  HostedUploadJob,
} from '../hosted/hosted-service.ts';
import type { Activities } from '../index.ts';
import type { AttemptOrder, NotifyOrder } from '../notify.ts';
import type { AssembleJob, EnhanceJob, EstimateJob, SpanJob } from '../provider/provider.ts';
import type { BeginOrder, EnhancementOrder, EnhancementSource } from '../records.ts';
import {
  address,
  count,
  id,
  MAX_ITEMS,
  mediaType,
  milliseconds,
  objectKey,
  parameters,
  plan,
  remoteId,
  sha256,
  type Shape,
  text,
  time,
} from './fields.ts';
import { credits, enhancement, recordedEvent, sourceFile, upload } from './records.ts';

/** Input schema of an activity. */
export interface ActivityInput {
  /** Null for an activity without input */
  schema: z.ZodType | null;
  /** Fields with read-only keys, which may belong to another upload of the same account */
  shared?: readonly string[];
}

type ActivityName = keyof Activities | keyof HostedService;

const enhancementId = id('enh');
const deliveryId = id('dlv');
const copied = { schema: z.strictObject({ from: objectKey, to: objectKey }), shared: ['from'] };
const source = { sha256, mimetype: mediaType, plan } satisfies Shape<EnhancementSource>;
const estimateJob = { enhancementId, source: sourceFile, parameters, plan } satisfies Shape<EstimateJob>;
const enhanceJob = { ...estimateJob, resultKey: objectKey } satisfies Shape<EnhanceJob>;
const assembleJob = { ...enhanceJob, workKey: objectKey, images: count } satisfies Shape<AssembleJob>;
const span = { enhancementId, source: sourceFile, workKey: objectKey, from: count, to: count } satisfies Shape<SpanJob>;
const hostedEnhancementJob = {
  accountId: id('acc'),
  enhancementId,
  remoteUploadId: remoteId,
  mimetype: mediaType,
  parameters,
} satisfies Shape<HostedEnhancementJob>;

/** A job whose result keys belong to its own enhancement. */
function ofItsEnhancement<
  S extends z.ZodType<{ enhancementId: string; resultKey?: string | undefined; workKey?: string }>,
>(job: S) {
  return job.refine(({ enhancementId, resultKey: made, workKey }) => {
    const owner = ownerIn(made ?? workKey ?? '');
    const own = owner && resultKey(owner.accountId, owner.uploadId, enhancementId);
    return (made ?? own) === own && (workKey === undefined || workKey.startsWith(`${own}/work/`));
  }, 'expected keys of the enhancement');
}

/** Input schema of each activity. An activity without an entry does not compile, and never runs. */
export const ACTIVITY_INPUTS = {
  recordUpload: {
    schema: z.strictObject({ upload, sentence: text, announce: recordedEvent.nullable() } satisfies Shape<UploadStep>),
  },
  beginEnhancement: {
    schema: z.strictObject({
      enhancement,
      source: z.strictObject(source),
      sentence: text,
      reuse: z.boolean(),
      credits: credits.nullable(),
      nowMs: milliseconds,
      announce: recordedEvent.nullable(),
    } satisfies Shape<BeginOrder>),
  },
  recordEnhancement: {
    schema: z.strictObject({
      enhancement,
      source: z.strictObject(source).nullable(),
      sentence: text,
      settle: z.union([z.strictObject({ capture: credits }), z.literal('release')]).nullable(),
      nowMs: milliseconds,
      announce: recordedEvent.nullable(),
    } satisfies Shape<EnhancementOrder>),
  },

  downloadUpload: {
    schema: z.strictObject({
      accountId: id('acc'),
      uploadId: id('upl'),
      url: address,
      unnamed: z.boolean(),
    } satisfies Shape<DownloadOrder>),
  },
  deleteUploadFiles: { schema: z.strictObject({ accountId: id('acc'), uploadId: id('upl') }) },
  deleteResult: { schema: z.strictObject({ objectKey }) },
  deleteWork: { schema: z.strictObject({ resultKey: objectKey }) },
  copyResult: copied,
  adoptFile: copied,
  takeIncoming: { schema: z.strictObject({ from: objectKey, to: objectKey }) },

  recordRedelivery: { schema: z.strictObject({ accountId: id('acc'), deliveryId, redeliveryOf: deliveryId }) },
  attemptDelivery: {
    schema: z.strictObject({
      deliveryId,
      number: z.int().positive(),
      nextAttemptAt: time.nullable(),
    } satisfies Shape<AttemptOrder>),
  },
  notifyReceivers: {
    schema: z.strictObject({
      deliveryIds: z.array(deliveryId).max(MAX_ITEMS),
      nextAttemptAt: time,
    } satisfies Shape<NotifyOrder>),
  },

  inspect: { schema: sourceFile },
  analyze: { schema: sourceFile },
  // The workflow passes its complete job, which includes the result key.
  estimate: { schema: ofItsEnhancement(z.strictObject({ ...estimateJob, resultKey: objectKey.optional() })) },
  enhance: { schema: ofItsEnhancement(z.strictObject(enhanceJob)) },
  enhancePdfSpan: { schema: ofItsEnhancement(z.strictObject(span)) },
  assemblePdf: { schema: ofItsEnhancement(z.strictObject(assembleJob)) },

  placeRemoteUpload: {
    schema: z.strictObject({
      accountId: id('acc'),
      source: sourceFile,
      size: count,
      url: address.nullable(),
      retentionDays: count,
    } satisfies Shape<HostedUploadJob>),
  },
  readRemoteUpload: { schema: z.strictObject({ remoteUploadId: remoteId }) },
  analyzeRemoteUpload: { schema: z.strictObject({ remoteUploadId: remoteId }) },
  readRemoteCredits: { schema: null },
  beginRemoteEnhancement: { schema: z.strictObject(hostedEnhancementJob) },
  findLostEnhancement: { schema: z.strictObject({ ...hostedEnhancementJob, sinceMs: milliseconds }) },
  readRemoteEnhancement: { schema: z.strictObject({ remoteEnhancementId: remoteId }) },
  collectRemoteResult: {
    schema: ofItsEnhancement(
      z.strictObject({
        enhancementId,
        remoteEnhancementId: remoteId,
        source: sourceFile,
        resultKey: objectKey,
      } satisfies Shape<HostedResultJob>),
    ),
  },
  deleteRemoteUpload: { schema: z.strictObject({ uploadId: id('upl') }) },
  claimSlot: { schema: z.strictObject({ accountId: id('acc'), enhancementId }) },
  releaseSlot: { schema: z.strictObject({ enhancementId }) },
} satisfies Record<ActivityName, ActivityInput>;
