import { z } from 'zod';
import {
  ENHANCEMENT_STATUSES,
  droppedPages,
  explainEnhancement,
  type EnhancementResult,
  type RecordedEnhancement,
  representParameters,
} from '@burnish/contract';
import { parametersSchema } from '@burnish/contract/schemas';
import type { FileUrls } from '../files/file-urls.ts';
import {
  currentProvider,
  errorCode,
  labelFields,
  mediaType,
  PROVIDER_SPELLINGS,
  recordId,
  timestamp,
  waitingFor,
} from '../schemas/fields.ts';
import * as enums from '../schemas/enums.ts';
import { explanation } from '../schemas/explanation.ts';
import { assertKnown, representReadably } from '../schemas/unreadable.ts';
import { destinationSchema } from './destination-schemas.ts';
import { engineReportSchema, progressSchema } from './engine-report-schemas.ts';
import { enhancementWait } from '../health/workers-watch.ts';

const UNLESS_FINISHED = 'Null unless `status` is FINISHED, and after `deletedAt`.';

export const enhancementSchema = z
  .object({
    id: recordId('enh'),
    uploadId: recordId('upl'),
    status: enums.enhancementStatus.schema,
    waitingFor,
    fullUrl: z
      .url()
      .nullable()
      .meta({
        description: `Signed URL of the result. It stays the same for an hour, is valid for 23 to 24 hours, and supports range requests. ${UNLESS_FINISHED}`,
      }),
    filename: z
      .string()
      .nullable()
      .meta({ description: `File name of the result. ${UNLESS_FINISHED}` }),
    mimetype: mediaType.nullable().meta({ description: `Media type of the result. ${UNLESS_FINISHED}` }),
    filesize: z
      .number()
      .int()
      .nullable()
      .meta({ description: `Size of the result in bytes. ${UNLESS_FINISHED}` }),
    growth: z
      .number()
      .nullable()
      .meta({
        description: `Size of the result divided by the size of the original. ${UNLESS_FINISHED}`,
        example: 1.62,
      }),
    width: z
      .number()
      .int()
      .nullable()
      .meta({ description: `Width of the result in pixels; 0 for PDFs. ${UNLESS_FINISHED}` }),
    height: z
      .number()
      .int()
      .nullable()
      .meta({ description: `Height of the result in pixels; 0 for PDFs. ${UNLESS_FINISHED}` }),
    engineDuration: z
      .number()
      .nullable()
      .meta({ description: 'Engine time in milliseconds. Null until the engine ends.' }),
    errorCode: errorCode.nullable().meta({ description: 'Reason of the failure. Null unless `status` is ERROR.' }),
    errorDetail: z.string().nullable().meta({ description: 'Explanation of `errorCode`.' }),
    explanation,
    parameters: parametersSchema.meta({
      id: 'EnhancementParameters',
      description: 'Requested parameters. Parameters without a value are absent or null.',
    }),
    preset: z.string().nullable().meta({
      description: 'Preset of the order with its version, such as `web@3`. Null without a preset.',
      example: 'web@3',
    }),
    maxCredits: z
      .number()
      .nullable()
      .meta({ description: 'Credits. An estimate above this number needs approval. Null: no limit.' }),
    creditWait: z.number().meta({ description: 'Maximum wait for credits in seconds; 0 fails at once.' }),
    estimatedCredits: z
      .number()
      .nullable()
      .meta({ description: 'Maximum price in credits, which is reserved. Null until it is known.' }),
    chargedCredits: z.number().nullable().meta({
      description:
        'Charged credits, at most the estimate; 0 for a reused result, for paid pages, and where nothing was changed. Null until the enhancement ends.',
    }),
    reusedFrom: z.string().nullable().meta({
      description: 'Id of the earlier enhancement whose result was reused at no charge. Null for a new result.',
    }),
    basedOn: z.string().nullable().meta({
      description:
        'Id of an earlier enhancement of the same file whose parameters differ in `pdf.pages` alone. Pages that it has paid cost nothing again. Null without one.',
    }),
    destination: destinationSchema
      .nullable()
      .meta({ description: 'Destination of the result, with its outcome. Null without one.' }),
    provider: currentProvider,
    engine: engineReportSchema
      .nullable()
      .meta({ description: 'Report of the engine about the result. Null until the engine ends.' }),
    ...labelFields,
    createdAt: timestamp.meta({ description: 'Time of creation.' }),
    startedAt: timestamp.nullable().meta({ description: 'Time at which the engine started. Null before.' }),
    finishedAt: timestamp
      .nullable()
      .meta({ description: 'Time at which the enhancement became FINISHED, ERROR or CANCELLED. Null before.' }),
    deletedAt: timestamp.nullable().meta({
      description: 'Time at which the result was deleted with its upload; `status` stays. Null before.',
    }),
    progress: progressSchema.nullable().meta({
      description:
        'Progress of the engine, up to a second old. Null unless `status` is PROCESSING and the enhancement is read by its id, and while it is unknown.',
    }),
  })
  .meta({ id: 'Enhancement', description: 'One enhancement of an image or of a PDF.' });
export type EnhancementRepresentation = z.infer<typeof enhancementSchema>;

/** The answer to an order of enhancements. */
export const orderedEnhancementsSchema = z
  .object({ enhancements: z.array(enhancementSchema).meta({ description: 'In the order of the request.' }) })
  .meta({ id: 'OrderedEnhancements', description: 'The ordered enhancements.' });

export const representEnhancement = (
  enhancement: RecordedEnhancement,
  urls: FileUrls,
  progress: EnhancementRepresentation['progress'] = null,
): EnhancementRepresentation => ({
  ...representReadably(enhancement, (each) => represent(each, urls), withoutResult, urls.noteUnreadable),
  progress,
});

/** The certain part of a record that cannot be read. */
function withoutResult(enhancement: RecordedEnhancement): RecordedEnhancement {
  const status = ENHANCEMENT_STATUSES.includes(enhancement.status) ? enhancement.status : 'ERROR';
  const nothing = { result: null, engine: null, destination: null, waitingFor: null } as const;
  return { ...enhancement, ...nothing, parameters: {}, status, provider: 'local' };
}

function represent(enhancement: RecordedEnhancement, urls: FileUrls) {
  const { result, engine } = enhancement;
  assertKnown(ENHANCEMENT_STATUSES, enhancement.status);
  assertKnown(Object.keys(PROVIDER_SPELLINGS), enhancement.provider);
  const finished = enhancement.status === 'FINISHED' ? result : null;
  const waits = enhancementWait(enhancement, urls.workersAway(enhancement.createdAt));
  return {
    id: enhancement.id,
    uploadId: enhancement.uploadId,
    status: enhancement.status,
    waitingFor: waits,
    fullUrl: urls.ofResult(enhancement),
    filename: finished?.filename ?? null,
    mimetype: finished?.mimetype ?? null,
    filesize: finished?.size ?? null,
    growth: computeGrowth(finished),
    width: finished?.width ?? null,
    height: finished?.height ?? null,
    engineDuration: engine?.durationMs ?? null,
    errorCode: enhancement.errorCode,
    errorDetail: enhancement.errorDetail,
    explanation: explainEnhancement({
      ...enhancement,
      waitingFor: waits,
      dropped: droppedPages(enhancement.parameters.pages).length,
    }),
    parameters: representParameters(enhancement.parameters),
    preset: enhancement.preset,
    maxCredits: enhancement.maxCredits,
    creditWait: enhancement.creditWaitMs / 1000,
    estimatedCredits: enhancement.estimatedCredits,
    chargedCredits: enhancement.chargedCredits,
    reusedFrom: enhancement.reusedFrom,
    basedOn: enhancement.basedOn,
    destination: enhancement.destination,
    provider: PROVIDER_SPELLINGS[enhancement.provider],
    engine: engine && {
      version: engine.version,
      build: engine.build ?? null,
      steps: engine.steps,
      models: engine.models,
      notes: engine.notes,
      unchanged: engine.unchanged ?? false,
      fidelity: engine.fidelity ?? null,
      uncertainPages: engine.uncertainPages ?? [],
      splitPages: engine.splitPages ?? [],
      droppedPages: engine.droppedPages ?? [],
    },
    reference: enhancement.reference,
    customMetadata: enhancement.customMetadata,
    createdAt: enhancement.createdAt,
    startedAt: enhancement.startedAt,
    finishedAt: enhancement.finishedAt,
    deletedAt: enhancement.deletedAt ?? null,
  };
}

/** Ratio to the original's size, rounded to four decimals. */
function computeGrowth(result: EnhancementResult | null): number | null {
  if (result === null) return null;
  return Math.round((result.size / result.originalSize) * 10_000) / 10_000;
}
