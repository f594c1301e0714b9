import { z } from 'zod';
import {
  ENHANCEMENT_STATUSES,
  type Enhancement,
  type EnhancementResult,
} from '../../domain/enhancement/enhancement.ts';
import { enhancementParametersSchema } from '../../domain/enhancement/parameters-schema.ts';
import type { EnhancementRepresentation } from '../../domain/representations/enhancement.ts';
import type { Labelled } from '../../domain/upload/upload.ts';
import type { WaitingFor } from '../../domain/machinery.ts';
import type { EnhancementOrder, OrderLabels } from '../commands/command-types.ts';
import type { FileAddresses } from '../files/file-addresses.ts';
import type { WorkersAway } from '../health/workers-watch.ts';
import {
  currentProvider,
  customMetadataText,
  errorCode,
  givenLabels,
  labels,
  mediaType,
  PROVIDER_SPELLINGS,
  recordId,
  timestamp,
  waitingFor,
} from '../schemas/fields.ts';
import { listFilter, pageQuery } from '../schemas/paging.ts';

/** Seconds that an enhancement waits for credits by default (docs/contract.md: 24 h). */
const DEFAULT_CREDIT_WAIT_SECONDS = 86_400;
const MAX_CREDIT_WAIT_SECONDS = 30 * 86_400;
const MAX_CREDITS = 1_000_000_000;

/** Spending limits: of one enhancement, or of an upload for enhancements without their own. */
export const spending = {
  maxCredits: z.number().int().min(0).max(MAX_CREDITS).meta({
    description: 'Credits. An estimate above it makes the enhancement AWAITING_APPROVAL. Absent: no review.',
    example: 10,
  }),
  creditWait: z
    .number()
    .int()
    .min(0)
    .max(MAX_CREDIT_WAIT_SECONDS)
    .meta({
      description: `Seconds that an enhancement waits for credits before it fails with INSUFFICIENT_CREDITS; 0 fails at once. Default ${DEFAULT_CREDIT_WAIT_SECONDS} (24 hours).`,
      example: 3600,
    }),
};

/** Public names of priorities. `interactive` applies to callers that wait; they cannot order it. */
export const PRIORITY_NAMES = { STANDARD: 'single', BATCH: 'batch' } as const;
export const priority = z.enum(Object.keys(PRIORITY_NAMES) as [keyof typeof PRIORITY_NAMES]);

/** One enhancement: its parameters, its maximum credits, and the maximum time that it waits for them. */
export const enhancementOrderSchema = enhancementParametersSchema
  .extend({
    maxCredits: spending.maxCredits.optional(),
    creditWait: spending.creditWait.optional(),
    ...labels,
    priority: priority.optional().meta({
      description:
        'Priority of the work, as for an upload. Default: the priority of the upload, and STANDARD for a later enhancement.',
    }),
  })
  .meta({
    id: 'EnhancementOrder',
    description:
      'Parameters of one enhancement. An image takes parameters of images only, and a PDF takes parameters of PDFs only.',
    example: { mode: 'ENHANCE', upscalingFactor: 'X2' },
  });
/** The same schema as a GraphQL input, where metadata is JSON text. */
export const enhancementInputSchema = enhancementOrderSchema.extend({ customMetadata: customMetadataText.optional() });
type EnhancementOrderBody = z.infer<typeof enhancementOrderSchema>;

interface Spending {
  maxCredits?: number | undefined;
  creditWait?: number | undefined;
}

/** Converts an order for commands: times in milliseconds, with defaults. */
export function toEnhancementOrder(
  { maxCredits, creditWait, priority, reference, customMetadata, ...parameters }: EnhancementOrderBody,
  defaults: Spending = {},
): EnhancementOrder {
  const waitSeconds = creditWait ?? defaults.creditWait ?? DEFAULT_CREDIT_WAIT_SECONDS;
  return {
    parameters,
    maxCredits: maxCredits ?? defaults.maxCredits ?? null,
    creditWaitMs: waitSeconds * 1000,
    ...(priority === undefined ? {} : { urgency: PRIORITY_NAMES[priority] }),
    ...givenOf({ reference, customMetadata }),
  };
}

/** Labels of an order; omits absent ones. */
export function givenOf({
  reference,
  customMetadata,
}: { [Name in keyof OrderLabels]: OrderLabels[Name] | undefined }): OrderLabels {
  return {
    ...(reference === undefined ? {} : { reference }),
    ...(customMetadata === undefined ? {} : { customMetadata }),
  };
}

export const estimateSchema = z
  .object({
    credits: z.number().int().meta({ description: 'Credits that the enhancement costs at most.', example: 8 }),
    filesize: z.number().int().nullable().meta({
      description:
        'Expected size of the result in bytes; the real size may differ. Null for images and for the hosted service.',
      example: 3_400_000,
    }),
  })
  .meta({ id: 'Estimate' });

export const enhancementSchema = z
  .object({
    id: recordId('enh'),
    uploadId: recordId('upl'),
    status: z.enum(ENHANCEMENT_STATUSES),
    waitingFor,
    fullUrl: z.url().nullable().meta({
      description: 'Signed address of the result, valid for 24 hours, signed anew at each read; null unless FINISHED.',
    }),
    filename: z.string().nullable().meta({ description: 'Name of the result; null unless FINISHED.' }),
    mimetype: mediaType.nullable(),
    filesize: z.number().int().nullable().meta({ description: 'Bytes of the result.' }),
    growth: z.number().nullable().meta({
      description:
        'Size of the result as a multiple of the size of the original; null unless FINISHED, and for results of earlier versions.',
      example: 1.62,
    }),
    width: z.number().int().nullable().meta({ description: 'Pixels of the result; 0 for PDFs.' }),
    height: z.number().int().nullable().meta({ description: 'Pixels of the result; 0 for PDFs.' }),
    engineDuration: z.number().nullable().meta({ description: 'Milliseconds of engine time.' }),
    errorCode: errorCode.nullable(),
    errorDetail: z.string().nullable(),
    parameters: enhancementParametersSchema.meta({ id: 'EnhancementParameters' }),
    maxCredits: z.number().nullable(),
    creditWait: z.number().meta({ description: 'Seconds' }),
    estimatedCredits: z.number().nullable().meta({ description: 'Credits; null until they are known.' }),
    chargedCredits: z.number().nullable().meta({
      description: 'Credits that were charged, never more than estimated; 0 for a reused result, null until FINISHED.',
    }),
    reusedFrom: z
      .string()
      .nullable()
      .meta({ description: 'Id of the enhancement whose result was reused, at no charge.' }),
    provider: currentProvider,
    engine: z
      .object({
        version: z.string(),
        steps: z.array(z.string()),
        models: z.array(z.string()).meta({ description: 'Neural networks that changed the picture.' }),
        notes: z.array(z.string()),
      })
      .nullable()
      .meta({ description: 'Steps and versions behind the result.' }),
    ...givenLabels,
    createdAt: timestamp,
    startedAt: timestamp.nullable(),
    finishedAt: timestamp.nullable(),
  })
  .meta({ id: 'Enhancement' });

export const listEnhancementsQuery = pageQuery.extend({
  status: z.enum(ENHANCEMENT_STATUSES).optional(),
  ...listFilter,
});

export function representEnhancement(
  enhancement: Labelled<Enhancement>,
  addresses: FileAddresses,
): EnhancementRepresentation {
  const { result, engine } = enhancement;
  const finished = enhancement.status === 'FINISHED' ? result : null;
  return {
    id: enhancement.id,
    uploadId: enhancement.uploadId,
    status: enhancement.status,
    waitingFor: enhancementWait(enhancement, addresses.workersAway()),
    fullUrl: addresses.ofResult(enhancement),
    filename: finished?.filename ?? null,
    mimetype: finished?.mimetype ?? null,
    filesize: finished?.size ?? null,
    growth: growthOf(finished),
    width: finished?.width ?? null,
    height: finished?.height ?? null,
    engineDuration: engine?.durationMs ?? null,
    errorCode: enhancement.errorCode,
    errorDetail: enhancement.errorDetail,
    parameters: enhancement.parameters,
    maxCredits: enhancement.maxCredits,
    creditWait: enhancement.creditWaitMs / 1000,
    estimatedCredits: enhancement.estimatedCredits,
    chargedCredits: enhancement.chargedCredits,
    reusedFrom: enhancement.reusedFrom,
    provider: PROVIDER_SPELLINGS[enhancement.provider],
    engine: engine && {
      version: engine.version,
      steps: engine.steps,
      models: engine.models ?? [],
      notes: engine.notes,
    },
    reference: enhancement.reference,
    customMetadata: enhancement.customMetadata,
    createdAt: enhancement.createdAt,
    startedAt: enhancement.startedAt,
    finishedAt: enhancement.finishedAt,
  };
}

/** Ratio to the original's size, rounded to four decimals. */
function growthOf(result: EnhancementResult | null): number | null {
  if (!result?.originalSize) return null;
  return Math.round((result.size / result.originalSize) * 10_000) / 10_000;
}

/** The reason of a wait. Some states are a wait themselves. Without a worker, open work waits for one. */
export function enhancementWait({ status, waitingFor }: Enhancement, away: WorkersAway): WaitingFor | null {
  if (status === 'AWAITING_CREDITS') return 'credits';
  if (status === 'AWAITING_APPROVAL') return 'approval';
  const open = status === 'QUEUED' || status === 'PROCESSING';
  return waitingFor ?? (open && (away.main || away.engine) ? 'worker' : null);
}
