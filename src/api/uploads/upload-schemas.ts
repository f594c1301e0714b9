import { z } from 'zod';
import type {
  UploadRepresentation,
  UploadWithEnhancementsRepresentation,
} from '../../domain/representations/upload.ts';
import { MEDIA_TYPES, mediaKind } from '../../domain/upload/media.ts';
import { UPLOAD_STATUSES, UPLOAD_SUB_STATUSES } from '../../domain/upload/upload.ts';
import type { Upload } from '../../domain/upload/upload.ts';
import type { Labelled } from '../../domain/upload/caller-labels.ts';
import type { WaitingFor } from '../../domain/machinery.ts';
import type { UploadWithEnhancements } from '../commands/command-types.ts';
import { enhancementSchema, representEnhancement } from '../enhancements/enhancement-schemas.ts';
import type { FileAddresses } from '../files/file-addresses.ts';
import type { WorkersAway } from '../health/workers-watch.ts';
import {
  currentProvider,
  errorCode,
  filename,
  givenLabels,
  mediaType,
  PROVIDER_SPELLINGS,
  recordId,
  timestamp,
  waitingFor,
} from '../schemas/fields.ts';
import { listFilter, pageQuery } from '../schemas/paging.ts';

/** The largest number of uploads in one deletion. */
export const MAX_DELETED_UPLOADS = 100;

export const pdfAnalysisSchema = z
  .object({
    totalCredits: z.number().meta({ description: 'Credits for every enhancement that the PDF is eligible for.' }),
    statistics: z.object({
      pages: z.number().int(),
      images: z.number().int(),
      colorEligible: z.number().int(),
      resizeEligible: z.number().int(),
      belowTarget: z.number().int().optional().meta({
        description:
          'Images that cannot reach 300 DPI, because an image is enlarged at most 4 times. Absent: all reach it.',
      }),
      lowestReached: z.number().int().optional().meta({ description: 'The lowest resolution that they reach, DPI.' }),
      credits: z.object({ color: z.number(), resize: z.number(), colorAndResize: z.number() }),
    }),
  })
  .meta({ id: 'PdfAnalysis', description: 'Result of the analysis of a PDF.' });

const uploadShape = {
  id: recordId('upl'),
  status: z.enum(UPLOAD_STATUSES),
  subStatus: z.enum(UPLOAD_SUB_STATUSES).nullable().meta({ description: 'Analysis of a PDF; null for images.' }),
  waitingFor,
  metadata: pdfAnalysisSchema.nullable(),
  filesize: z.number().int().nullable().meta({ description: 'Bytes; null until the file is there.' }),
  mimetype: mediaType.nullable().meta({ description: 'By content.' }),
  extension: z.string().nullable(),
  originalFilename: z.string(),
  filename: z.string().nullable().meta({ description: 'Storage filename; null until the file is there.' }),
  width: z.number().int().meta({ description: 'Pixels, after orientation; 0 for PDFs.' }),
  height: z.number().int().meta({ description: 'Pixels, after orientation; 0 for PDFs.' }),
  url: z
    .url()
    .nullable()
    .meta({ description: 'Signed address of the original, valid for 24 hours, signed anew at each read.' }),
  errorCode: errorCode.nullable(),
  errorDetail: z.string().nullable(),
  retentionDays: z.number().int().meta({ description: 'Days that the file is kept.' }),
  ...givenLabels,
  createdAt: timestamp,
  startedAt: timestamp.nullable(),
  finishedAt: timestamp.nullable(),
  duration: z.number().int().nullable().meta({ description: 'Processing time of the upload, milliseconds.' }),
  deletedAt: timestamp.nullable(),
  deletionReason: z.enum(['user', 'retention']).nullable(),
  provider: currentProvider,
};
export const uploadSchema = z.object(uploadShape).meta({ id: 'Upload' });
export const uploadWithEnhancementsShape = { ...uploadShape, enhancements: z.array(enhancementSchema) };
export const uploadWithEnhancementsSchema = z
  .object(uploadWithEnhancementsShape)
  .meta({ id: 'UploadWithEnhancements', description: 'An upload with its enhancements, oldest first.' });

export function representUpload(upload: Labelled<Upload>, addresses: FileAddresses): UploadRepresentation {
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
    reference: upload.reference,
    customMetadata: upload.customMetadata,
    createdAt: upload.createdAt,
    startedAt,
    finishedAt,
    duration: startedAt !== null && finishedAt !== null ? Date.parse(finishedAt) - Date.parse(startedAt) : null,
    deletedAt: upload.deletedAt,
    deletionReason: upload.deletionReason,
    provider: PROVIDER_SPELLINGS[upload.provider],
  };
}

export function representUploadWithEnhancements(
  { upload, enhancements }: UploadWithEnhancements,
  addresses: FileAddresses,
): UploadWithEnhancementsRepresentation {
  return {
    ...representUpload(upload, addresses),
    enhancements: enhancements.map((each) => representEnhancement(each, addresses)),
  };
}

/** An upload needs a worker while it is received, and one for CPU work while a PDF is analysed. */
export function uploadWait({ status, subStatus, waitingFor }: Upload, away: WorkersAway): WaitingFor | null {
  const received = status === 'UPLOAD_PROCESSING' && away.main;
  const analyzed = subStatus === 'METADATA_ANALYZING' && status !== 'UPLOAD_DELETED' && (away.main || away.engine);
  return waitingFor ?? (received || analyzed ? 'worker' : null);
}

export const listUploadsQuery = pageQuery.extend({
  status: z.enum(UPLOAD_STATUSES).optional(),
  ...listFilter,
  search: filename
    .max(100)
    .optional()
    .meta({ description: 'Only files whose name contains this text; case does not matter.', example: 'holiday' }),
  include: z
    .enum(['enhancements'])
    .optional()
    .meta({ description: 'Each upload comes with its enhancements, oldest first, at most the newest 100.' }),
});

/** `POST /v1/uploads/delete`. */
export const deleteUploadsBody = z
  .strictObject({
    ids: z
      .array(z.string().max(100))
      .max(MAX_DELETED_UPLOADS)
      .meta({
        description: `Ids of uploads, at most ${MAX_DELETED_UPLOADS}.`,
        example: ['upl_01jz8k3v5wq4m2n7p9r6s8t0xy'],
      }),
  })
  .meta({ id: 'DeleteUploads' });
