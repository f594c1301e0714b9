import {
  IMAGE_KIND_NAMES,
  MAX_PAGE_CHOICES,
  MAX_SPLIT_PAGES,
  MAX_UNCERTAIN_PAGES,
  type Fidelity,
  UPLOAD_STATUSES,
  UPLOAD_SUB_STATUSES,
  type StoredFile,
  type Upload,
  type PdfAnalysis,
  ENHANCEMENT_STATUSES,
  type EngineReport,
  type Enhancement,
  type EnhancementResult,
  MAX_BUCKET_KEY_BYTES,
  DESTINATION_STATUSES,
  type BucketDestination,
  type Destination,
  BATCH_STATUSES,
  type Batch,
  type BatchPrediction,
  EVENT_KINDS,
} from '@burnish/contract';
import { z } from 'zod';
import type { RecordedEvent } from '../../database/uploads/lifecycle-steps.ts';
import {
  address,
  count,
  failureCode,
  id,
  MAX_ITEMS,
  mediaType,
  milliseconds,
  name,
  objectKey,
  parameters,
  providerName,
  remoteId,
  sha256,
  type Shape,
  text,
  time,
  waitingFor,
} from './fields.ts';

/** Credits; a hosted service may use fractions of credits. */
export const credits = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER);

const storedFile = z.object({
  size: count,
  sha256,
  mimetype: mediaType,
  hasAlpha: z.boolean().exactOptional(),
} satisfies Shape<StoredFile>);

const analysis = z.object({
  totalCredits: credits,
  statistics: z.object({
    pages: count,
    images: count,
    colorEligible: count,
    resizeEligible: count,
    kinds: z.partialRecord(z.enum(IMAGE_KIND_NAMES), count).optional(),
    blankPages: z.array(count).max(MAX_PAGE_CHOICES).optional(),
    signed: z.literal(true).optional(),
    mayExceedPixels: z.literal(true).optional(),
    belowTarget: count.optional(),
    lowestReached: count.optional(),
    credits: z.object({ color: credits, resize: credits, colorAndResize: credits } satisfies Shape<
      PdfAnalysis['statistics']['credits']
    >),
  } satisfies Shape<PdfAnalysis['statistics']>),
} satisfies Shape<PdfAnalysis>);

export const upload = z.object({
  id: id('upl'),
  accountId: id('acc'),
  revision: count,
  status: z.enum(UPLOAD_STATUSES),
  subStatus: z.enum(UPLOAD_SUB_STATUSES).nullable(),
  waitingFor: waitingFor.nullable(),
  errorCode: failureCode.nullable(),
  errorDetail: text.nullable(),
  originalFilename: name,
  objectKey: objectKey.nullable(),
  file: storedFile.nullable(),
  width: count,
  height: count,
  analysis: analysis.nullable(),
  provider: providerName,
  remoteId: remoteId.nullable(),
  webhookUrl: address.nullable(),
  retentionDays: count,
  createdAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  deletedAt: time.nullable(),
  deletionReason: z.enum(['user', 'retention']).nullable(),
} satisfies Shape<Upload>);

export const result = z.object({
  objectKey,
  size: count,
  originalSize: count,
  sha256,
  mimetype: mediaType,
  filename: name,
  width: count,
  height: count,
} satisfies Shape<EnhancementResult>);

const engine = z.object({
  version: name,
  build: name.exactOptional(),
  steps: z.array(name).max(MAX_ITEMS),
  notes: z.array(text).max(MAX_ITEMS),
  models: z.array(name).max(MAX_ITEMS),
  unchanged: z.literal(true).exactOptional(),
  fidelity: z
    .object({ psnr: z.number().nullable(), maxDifference: z.number() } satisfies Shape<Fidelity>)
    .exactOptional(),
  uncertainPages: z.array(count).max(MAX_UNCERTAIN_PAGES).exactOptional(),
  splitPages: z.array(count).max(MAX_SPLIT_PAGES).exactOptional(),
  droppedPages: z.array(count).max(MAX_PAGE_CHOICES).exactOptional(),
  durationMs: milliseconds,
} satisfies Shape<EngineReport>);

export const bucketDestination = z.object({ bucket: name, key: name } satisfies Shape<BucketDestination>);

export const destination = z.object({
  url: address.nullable(),
  bucket: name.nullable(),
  key: z.string().max(MAX_BUCKET_KEY_BYTES).nullable(),
  status: z.enum(DESTINATION_STATUSES),
  errorCode: failureCode.nullable(),
  errorDetail: text.nullable(),
  deliveredAt: time.nullable(),
} satisfies Shape<Destination>);

export const enhancement = z.object({
  id: id('enh'),
  uploadId: id('upl'),
  accountId: id('acc'),
  revision: count,
  status: z.enum(ENHANCEMENT_STATUSES),
  waitingFor: waitingFor.nullable(),
  parameters,
  preset: name.nullable(),
  provider: providerName,
  remoteId: remoteId.nullable(),
  maxCredits: credits.nullable(),
  creditWaitMs: milliseconds,
  estimatedCredits: credits.nullable(),
  chargedCredits: credits.nullable(),
  result: result.nullable(),
  engine: engine.nullable(),
  reusedFrom: id('enh').nullable(),
  basedOn: id('enh').nullable(),
  destination: destination.nullable(),
  errorCode: failureCode.nullable(),
  errorDetail: text.nullable(),
  createdAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
} satisfies Shape<Enhancement>);

export const recordedEvent = z.object({
  kind: z.enum(EVENT_KINDS),
  source: name,
  eventKey: name,
  created: time,
  webhookUrl: address.nullable(),
} satisfies Shape<RecordedEvent>);

export const batch = z.object({
  id: id('bat'),
  accountId: id('acc'),
  revision: count,
  status: z.enum(BATCH_STATUSES),
  pauseReason: z.enum(['request', 'budget', 'credits']).nullable(),
  reference: name.nullable(),
  parameters,
  preset: name.nullable(),
  destination: bucketDestination.nullable(),
  maxCredits: count.nullable(),
  samples: count,
  prediction: z.object({ credits, seconds: count, failures: count } satisfies Shape<BatchPrediction>).nullable(),
  round: count,
  halfReported: z.boolean(),
  troubleReported: z.boolean(),
  createdAt: time,
  closedAt: time.nullable(),
  approvedAt: time.nullable(),
  finishedAt: time.nullable(),
} satisfies Shape<Batch>);
