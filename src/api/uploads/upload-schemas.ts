import { z } from 'zod';
import { ENHANCEMENT_STATUSES } from '../../domain/enhancement/enhancement.ts';
import type { Enhancement } from '../../domain/enhancement/enhancement.ts';
import { FAILURE_CODES } from '../../domain/failures.ts';
import { MEDIA_TYPES, mediaKind } from '../../domain/upload/media.ts';
import { enhancementParametersSchema } from '../../domain/enhancement/parameters-schema.ts';
import type { EnhancementRepresentation } from '../../domain/representations/enhancement.ts';
import type { UploadRepresentation } from '../../domain/representations/upload.ts';
import { UPLOAD_STATUSES, UPLOAD_SUB_STATUSES } from '../../domain/upload/upload.ts';
import type { Upload } from '../../domain/upload/upload.ts';
import type { WorkersAway } from '../health/workers-watch.ts';
import { enhancementWait, uploadWait, waitingFor } from '../schemas/waiting-for.ts';

/** What a representation shows beside the record: signed addresses of files, made afresh at each read, and missing workers. */
export interface FileAddresses {
  workersAway(): WorkersAway;
  ofOriginal(upload: Upload): string | null;
  ofResult(enhancement: Enhancement): string | null;
}

const id = (prefix: string) => z.string().meta({ example: `${prefix}_01jz8k3v5wq4m2n7p9r6s8t0xy` });
const time = z.iso.datetime().meta({ example: '2026-01-31T09:30:00.000Z' });
const errorCode = z.enum(FAILURE_CODES).meta({ id: 'ErrorCode', description: 'The one list of refusals and errors.' });

const PROVIDER_SPELLINGS = { local: 'LOCAL', hosted: 'HOSTED' } as const;
const provider = z
  .enum(['LOCAL', 'HOSTED'])
  .meta({ description: 'Who does the work; HOSTED becomes LOCAL when this instance takes over.' });

export const pdfAnalysisSchema = z
  .object({
    totalCredits: z.number().meta({ description: 'Credits for every enhancement that the PDF is eligible for.' }),
    statistics: z.object({
      pages: z.number().int(),
      images: z.number().int(),
      colorEligible: z.number().int(),
      resizeEligible: z.number().int(),
      credits: z.object({ color: z.number(), resize: z.number(), colorAndResize: z.number() }),
    }),
  })
  .meta({ id: 'PdfAnalysis', description: 'What the analysis of a PDF found.' });

export const enhancementSchema = z
  .object({
    id: id('enh'),
    uploadId: id('upl'),
    status: z.enum(ENHANCEMENT_STATUSES),
    waitingFor,
    fullUrl: z.url().nullable().meta({
      description: 'Signed address of the result, valid for 24 hours, made afresh at each read; null unless FINISHED.',
    }),
    filename: z.string().nullable().meta({ description: 'Name of the result; null unless FINISHED.' }),
    mimetype: z.enum(Object.keys(MEDIA_TYPES) as [keyof typeof MEDIA_TYPES]).nullable(),
    filesize: z.number().int().nullable().meta({ description: 'Bytes of the result.' }),
    width: z.number().int().nullable().meta({ description: 'Pixels of the result; 0 for PDFs.' }),
    height: z.number().int().nullable().meta({ description: 'Pixels of the result; 0 for PDFs.' }),
    engineDuration: z.number().nullable().meta({ description: 'Milliseconds of engine time.' }),
    errorCode: errorCode.nullable(),
    errorDetail: z.string().nullable(),
    parameters: enhancementParametersSchema.meta({ id: 'EnhancementParameters' }),
    maxCredits: z.number().nullable(),
    creditWait: z.number().meta({ description: 'Seconds' }),
    estimatedCredits: z.number().nullable(),
    chargedCredits: z.number().nullable(),
    reusedFrom: z
      .string()
      .nullable()
      .meta({ description: 'Id of the enhancement whose result was reused, at no charge.' }),
    provider,
    engine: z
      .object({
        version: z.string(),
        steps: z.array(z.string()),
        models: z.array(z.string()).meta({ description: 'Neural networks that worked on the picture.' }),
        notes: z.array(z.string()),
      })
      .nullable()
      .meta({ description: 'How the result was made.' }),
    createdAt: time,
    startedAt: time.nullable(),
    finishedAt: time.nullable(),
  })
  .meta({ id: 'Enhancement' });

const uploadShape = {
  id: id('upl'),
  status: z.enum(UPLOAD_STATUSES),
  subStatus: z.enum(UPLOAD_SUB_STATUSES).nullable().meta({ description: 'Analysis of a PDF; null for images.' }),
  waitingFor,
  metadata: pdfAnalysisSchema.nullable(),
  filesize: z.number().int().nullable().meta({ description: 'Bytes; null until the file is there.' }),
  mimetype: z
    .enum(Object.keys(MEDIA_TYPES) as [keyof typeof MEDIA_TYPES])
    .nullable()
    .meta({ description: 'By content.' }),
  extension: z.string().nullable(),
  originalFilename: z.string(),
  filename: z.string().nullable().meta({ description: 'Storage filename; null until the file is there.' }),
  width: z.number().int().meta({ description: 'Pixels, after orientation; 0 for PDFs.' }),
  height: z.number().int().meta({ description: 'Pixels, after orientation; 0 for PDFs.' }),
  url: z
    .url()
    .nullable()
    .meta({ description: 'Signed address of the original, valid for 24 hours, made afresh at each read.' }),
  errorCode: errorCode.nullable(),
  errorDetail: z.string().nullable(),
  retentionDays: z.number().int().meta({ description: 'Days that the file is kept.' }),
  createdAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  duration: z.number().int().nullable().meta({ description: 'Processing time of the upload, milliseconds.' }),
  deletedAt: time.nullable(),
  deletionReason: z.enum(['user', 'retention']).nullable(),
  provider,
};
export const uploadSchema = z.object(uploadShape).meta({ id: 'Upload' });
export const uploadWithEnhancementsSchema = z
  .object({ ...uploadShape, enhancements: z.array(enhancementSchema) })
  .meta({ id: 'UploadWithEnhancements', description: 'An upload with its enhancements, oldest first.' });

export const signedUploadSchema = z
  .object({
    ...uploadShape,
    enhancements: z.array(enhancementSchema),
    uploadUrl: z.url().meta({ description: 'Takes one PUT of the file, with the declared type as its Content-Type.' }),
    uploadUrlExpiresAt: time,
  })
  .meta({ id: 'SignedUpload', description: 'An upload whose file comes by PUT.' });

export function representUpload(upload: Upload, addresses: FileAddresses): UploadRepresentation {
  const { file, startedAt, finishedAt } = upload;
  const extension = file && MEDIA_TYPES[file.mimetype].extension;
  return {
    id: upload.id,
    status: upload.status,
    subStatus: upload.subStatus,
    waitingFor: uploadWait(upload, addresses.workersAway()),
    metadata: upload.analysis,
    filesize: file?.size ?? null,
    mimetype: file?.mimetype ?? null,
    extension,
    originalFilename: upload.originalFilename,
    filename: extension && `${upload.id}.${extension}`,
    width: file !== null && mediaKind(file.mimetype) === 'pdf' ? 0 : upload.width,
    height: file !== null && mediaKind(file.mimetype) === 'pdf' ? 0 : upload.height,
    url: addresses.ofOriginal(upload),
    errorCode: upload.errorCode,
    errorDetail: upload.errorDetail,
    retentionDays: upload.retentionDays,
    createdAt: upload.createdAt,
    startedAt,
    finishedAt,
    duration: startedAt !== null && finishedAt !== null ? Date.parse(finishedAt) - Date.parse(startedAt) : null,
    deletedAt: upload.deletedAt,
    deletionReason: upload.deletionReason,
    provider: PROVIDER_SPELLINGS[upload.provider],
  };
}

export function representEnhancement(enhancement: Enhancement, addresses: FileAddresses): EnhancementRepresentation {
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
    createdAt: enhancement.createdAt,
    startedAt: enhancement.startedAt,
    finishedAt: enhancement.finishedAt,
  };
}
