import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { z } from 'zod';
import { ownerIn, resultKey } from '../../domain/files/object-keys.ts';
import { deliveryWorkflowId, uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import type { FailureLog } from '../failure.ts';
import { acceptUnsealed, UNSEALED_SENTENCE } from '../../domain/temporal/unsealed.ts';
import type { UploadStep } from '../../database/uploads/lifecycle-steps.ts';
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

/** Maximum number of problems in one log entry. */
const MAX_PROBLEMS = 10;

/**
 * Rejects an activity whose input does not match its schema, or names a file, an upload or a delivery of another workflow. An
 * attacker that can start workflows therefore cannot read, copy, replace or delete a file of one upload through another. No
 * Burnish workflow sends such an input, so the failure is non-retryable.
 */
export function checkedInputs(context: Context, log: FailureLog): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const { activityType, workflowExecution } = context.info;
      const workflowId = workflowExecution?.workflowId ?? '';
      const problem = problemOf(activityType, workflowId, input.args);
      if (problem === undefined) return next(input);
      log.error({ activityType, workflowId, problems: problem.details }, 'activity refused: its input is not valid');
      throw ApplicationFailure.create({ type: 'INTERNAL', message: problem.sentence, nonRetryable: true });
    },
  };
}

interface Problem {
  /** Public sentence; the history and the record contain it */
  sentence: string;
  /** Details for the log, without quotes from the input */
  details: string[];
}

/** The fault in the input of an activity; undefined for a valid input. */
export function problemOf(activityType: string, workflowId: string, args: readonly unknown[]): Problem | undefined {
  const activity = Object.hasOwn(ACTIVITY_INPUTS, activityType)
    ? (ACTIVITY_INPUTS as Record<string, ActivityInput>)[activityType]
    : undefined;
  const malformed = (details: string[]): Problem => ({
    sentence: `The input of ${activityType} is not valid, so nothing was done. Start work through the API.`,
    details: details.slice(0, MAX_PROBLEMS),
  });
  if (activity === undefined) return malformed(['no activity of this name takes input']);
  if (activity.schema === null) return args.length === 0 ? undefined : malformed(['expected no input']);
  if (args.length !== 1) return malformed([`expected one input but received ${args.length}`]);
  const parsed = activity.schema.safeParse(args[0]);
  if (!parsed.success) {
    return malformed(parsed.error.issues.map(({ path, code }) => `${path.join('.')}: ${code}`));
  }
  const foreign = foreignIn(args[0], workflowId, activity.shared ?? []);
  if (foreign.length === 0) return undefined;
  const sentence = `The input of ${activityType} names files of another upload or account, so nothing was done.`;
  return { sentence, details: foreign.slice(0, MAX_PROBLEMS) };
}

/** Lists ids and keys in an input that do not belong to the calling workflow. */
function foreignIn(input: unknown, workflowId: string, shared: readonly string[]): string[] {
  const accounts = new Set<string>();
  const foreign: string[] = [];
  const expectUpload = (uploadId: string, field: string): void => {
    if (uploadWorkflowId(uploadId) !== workflowId) foreign.push(`${field}: of another upload`);
  };
  const look = (value: unknown, field: string): void => {
    if (typeof value === 'string') {
      const owner = ownerIn(value);
      if (owner !== undefined) {
        accounts.add(owner.accountId);
        if (!shared.includes(field)) expectUpload(owner.uploadId, field);
      } else if (field === 'accountId') accounts.add(value);
      else if (field === 'uploadId') expectUpload(value, field);
      else if (field === 'deliveryId' && deliveryWorkflowId(value) !== workflowId) {
        foreign.push(`${field}: of another delivery`);
      }
    } else if (Array.isArray(value)) for (const each of value) look(each, field);
    else if (typeof value === 'object' && value !== null) {
      if (field === 'upload' && 'id' in value) expectUpload(String(value.id), 'upload.id');
      for (const [name, each] of Object.entries(value)) look(each, name);
    }
  };
  look(input, '');
  if (accounts.size > 1) foreign.push('files of more than one account');
  return foreign;
}

/**
 * Rejects an activity whose input no key of this instance has encrypted, before any of it is read. No Burnish workflow sends
 * such an input, so the failure is non-retryable. Without encryption no input is marked.
 */
export function sealedInputInterceptor({ info }: Context, log: FailureLog): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const args = acceptUnsealed(input.args, info.scheduledTimestampMs);
      if (args !== undefined) return next({ ...input, args });
      const { activityType, workflowExecution } = info;
      const facts = { activityType, workflowId: workflowExecution?.workflowId };
      log.error(facts, 'activity refused: its input is not encrypted with a key of this instance');
      throw ApplicationFailure.create({ type: 'UNSEALED_PAYLOAD', message: UNSEALED_SENTENCE, nonRetryable: true });
    },
  };
}
