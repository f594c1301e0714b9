import { z } from 'zod';
import {
  explainUpload,
  IMAGE_KIND_NAMES,
  MEDIA_TYPES,
  mediaKind,
  processingTime,
  storageFilename,
  UPLOAD_STATUSES,
  UPLOAD_SUB_STATUSES,
  type Upload,
  type Labelled,
  type WaitingFor,
} from '@burnish/contract';
import type { UploadWithEnhancements } from '../commands/command-types.ts';
import { enhancementSchema, representEnhancement } from '../enhancements/enhancement-schemas.ts';
import {
  filename,
  currentProvider,
  errorCode,
  labelFields,
  mediaType,
  PROVIDER_SPELLINGS,
  recordId,
  timestamp,
  waitingFor,
} from '../schemas/fields.ts';
import type { FileUrls } from '../files/file-urls.ts';
import type { WorkersAway } from '../health/workers-watch.ts';
import * as enums from '../schemas/enums.ts';
import { explanation } from '../schemas/explanation.ts';
import { listFilter, pageQuery } from '../schemas/paging.ts';
import { assertKnown, representReadably } from '../schemas/unreadable.ts';

/** Maximum number of uploads in one deletion. */
export const MAX_DELETED_UPLOADS = 100;

export const pdfAnalysisSchema = z
  .strictObject({
    totalCredits: z.number().meta({ description: 'Credits for all enhancements for which the PDF is eligible.' }),
    statistics: z.strictObject({
      pages: z.number().int(),
      images: z.number().int(),
      colorEligible: z.number().int(),
      resizeEligible: z.number().int(),
      kinds: z
        .partialRecord(z.enum(IMAGE_KIND_NAMES), z.number().int())
        .optional()
        .meta({
          description:
            'Number of images by kind, among those that can be enhanced. Only photographs get a new tone and colour.',
          example: { PHOTOGRAPH: 12, DRAWING: 3 },
        }),
      blankPages: z
        .array(z.int())
        .optional()
        .meta({
          description:
            'Pages that show blank paper, in order, at most 1,000. Burnish drops none by itself: order `pdf.pages` with DROP. Absent: there are none.',
          example: [2, 4],
        }),
      signed: z.boolean().optional().meta({
        description:
          'The PDF has a digital signature. Its enhancement needs `pdf.allowBreakingSignatures`. Absent: it has none.',
      }),
      mayExceedPixels: z.boolean().optional().meta({
        description:
          'With some parameters, the images have more pixels than the limit, and the order is refused with TOO_MANY_PIXELS. Absent: with none.',
      }),
      belowTarget: z.number().int().optional().meta({
        description:
          'Number of images that cannot reach 300 DPI, because an image is enlarged at most 4 times. Absent: all images reach it.',
      }),
      lowestReached: z
        .number()
        .int()
        .optional()
        .meta({ description: 'Lowest resolution of these images after enhancement, DPI.' }),
      credits: z.strictObject({ color: z.number(), resize: z.number(), colorAndResize: z.number() }),
    }),
  })
  .meta({ id: 'PdfAnalysis', description: 'Result of the analysis of a PDF.' });

const UNTIL_FILE = 'Null until the file arrives.';
const UNLESS_DELETED = 'Null unless `status` is UPLOAD_DELETED.';

const uploadShape = {
  id: recordId('upl'),
  status: enums.uploadStatus.schema,
  subStatus: enums.uploadSubStatus.schema
    .nullable()
    .meta({ description: `${enums.uploadSubStatus.description} Null for images.` }),
  waitingFor,
  metadata: pdfAnalysisSchema.nullable().meta({
    description:
      'Result of the analysis of a PDF. Null for images, and until `subStatus` is METADATA_ANALYZED_SUCCESSFULLY.',
  }),
  filesize: z
    .number()
    .int()
    .nullable()
    .meta({ description: `Size of the file in bytes. ${UNTIL_FILE}` }),
  mimetype: mediaType.nullable().meta({ description: `Media type, detected from the content. ${UNTIL_FILE}` }),
  extension: z
    .string()
    .nullable()
    .meta({ description: `File extension for the media type, without a dot. ${UNTIL_FILE}` }),
  originalFilename: z.string().meta({ description: 'File name as uploaded; `deleted` after the deletion.' }),
  filename: z
    .string()
    .nullable()
    .meta({ description: `File name in storage. ${UNTIL_FILE}` }),
  width: z.number().int().meta({ description: 'Width in pixels, after orientation; 0 for PDFs.' }),
  height: z.number().int().meta({ description: 'Height in pixels, after orientation; 0 for PDFs.' }),
  hasAlpha: z.boolean().nullable().meta({
    description:
      'The image has an alpha channel; a WebP only with a transparent pixel. Null for PDFs, and until the file has been inspected.',
  }),
  url: z.url().nullable().meta({
    description:
      'Signed URL of the original. It stays the same for an hour and is valid for 23 to 24 hours. Null without a file.',
  }),
  errorCode: errorCode
    .nullable()
    .meta({ description: 'Reason of a failed upload or analysis. Null without a failure.' }),
  errorDetail: z.string().nullable().meta({ description: 'Explanation of `errorCode`.' }),
  explanation,
  retentionDays: z
    .number()
    .int()
    .meta({ description: 'Days that the file is kept, as set when the upload was created.' }),
  ...labelFields,
  createdAt: timestamp.meta({ description: 'Time of creation.' }),
  startedAt: timestamp
    .nullable()
    .meta({ description: 'Start of processing. Null while a signed upload waits for its file.' }),
  finishedAt: timestamp
    .nullable()
    .meta({ description: 'Time at which the upload became UPLOAD_FINISHED or UPLOAD_FAILED.' }),
  duration: z
    .number()
    .int()
    .nonnegative()
    .nullable()
    .meta({ description: 'Processing time of the upload in milliseconds. Null until it ends.' }),
  deletedAt: timestamp.nullable().meta({ description: `Time of deletion. ${UNLESS_DELETED}` }),
  deletionReason: enums.deletionReason.schema
    .nullable()
    .meta({ description: `${enums.deletionReason.description} ${UNLESS_DELETED}` }),
  provider: currentProvider,
};
export const uploadSchema = z
  .object(uploadShape)
  .meta({ id: 'Upload', description: 'An uploaded file, from its first byte to its deletion.' });
export const uploadWithEnhancementsShape = { ...uploadShape, enhancements: z.array(enhancementSchema) };
export const uploadWithEnhancementsSchema = z
  .object(uploadWithEnhancementsShape)
  .meta({ id: 'UploadWithEnhancements', description: 'An upload with its enhancements, oldest first.' });
export type UploadRepresentation = z.infer<typeof uploadSchema>;
export type UploadWithEnhancementsRepresentation = z.infer<typeof uploadWithEnhancementsSchema>;

export const representUpload = (upload: Labelled<Upload>, urls: FileUrls): UploadRepresentation =>
  representReadably(upload, (each) => represent(each, urls), withoutFile, urls.noteUnreadable);

/** The certain part of a record that cannot be read. */
function withoutFile(upload: Labelled<Upload>): Labelled<Upload> {
  const status = UPLOAD_STATUSES.includes(upload.status) ? upload.status : 'UPLOAD_FAILED';
  const nothing = { file: null, objectKey: null, analysis: null, subStatus: null, waitingFor: null } as const;
  return { ...upload, ...nothing, status, provider: 'local' };
}

function represent(upload: Labelled<Upload>, urls: FileUrls): UploadRepresentation {
  const { file, startedAt, finishedAt } = upload;
  assertKnown(UPLOAD_STATUSES, upload.status);
  assertKnown(UPLOAD_SUB_STATUSES, upload.subStatus);
  assertKnown(Object.keys(PROVIDER_SPELLINGS), upload.provider);
  const waits = uploadWait(upload, urls.workersAway(upload.createdAt));
  return {
    id: upload.id,
    status: upload.status,
    subStatus: upload.subStatus,
    waitingFor: waits,
    metadata: upload.analysis,
    filesize: file?.size ?? null,
    mimetype: file?.mimetype ?? null,
    extension: file && MEDIA_TYPES[file.mimetype].extension,
    originalFilename: upload.originalFilename,
    filename: storageFilename(upload),
    width: file !== null && mediaKind(file.mimetype) === 'pdf' ? 0 : upload.width,
    height: file !== null && mediaKind(file.mimetype) === 'pdf' ? 0 : upload.height,
    hasAlpha: file?.hasAlpha ?? null,
    url: urls.ofOriginal(upload),
    errorCode: upload.errorCode,
    errorDetail: upload.errorDetail,
    explanation: explainUpload({ ...upload, waitingFor: waits }),
    retentionDays: upload.retentionDays,
    reference: upload.reference,
    customMetadata: upload.customMetadata,
    createdAt: upload.createdAt,
    startedAt,
    finishedAt,
    duration: processingTime(upload),
    deletedAt: upload.deletedAt,
    deletionReason: upload.deletionReason,
    provider: PROVIDER_SPELLINGS[upload.provider],
  };
}

export function representUploadWithEnhancements(
  { upload, enhancements }: UploadWithEnhancements,
  urls: FileUrls,
): UploadWithEnhancementsRepresentation {
  return {
    ...representUpload(upload, urls),
    enhancements: enhancements.map((each) => representEnhancement(each, urls)),
  };
}

/**
 * The reason of a wait. An upload needs a main worker while it is received, and a worker for CPU work during the
 * analysis of a PDF.
 */
export function uploadWait({ status, subStatus, waitingFor }: Upload, away: WorkersAway): WaitingFor | null {
  const received = status === 'UPLOAD_PROCESSING' && away.main;
  const analyzed = subStatus === 'METADATA_ANALYZING' && status !== 'UPLOAD_DELETED' && (away.main || away.engine);
  return waitingFor ?? (received || analyzed ? 'worker' : null);
}

export const listUploadsQuery = pageQuery.extend({
  status: enums.uploadStatus.schema.optional().meta({ description: 'Only uploads with this status.' }),
  ...listFilter,
  search: filename
    .max(100)
    .optional()
    .meta({ description: 'Only files whose name contains this text, in upper or lower case.', example: 'holiday' }),
  include: z
    .enum(['enhancements'])
    .optional()
    .meta({ description: 'Adds the enhancements of each upload: the newest 100, oldest first.' }),
});

/** `POST /v1/uploads/delete`. */
export const deleteUploadsBody = z
  .strictObject({
    ids: z
      .array(z.string().max(100))
      .max(MAX_DELETED_UPLOADS)
      .meta({
        description: `Ids of 1 to ${MAX_DELETED_UPLOADS} uploads.`,
        example: ['upl_01jz8k3v5wq4m2n7p9r6s8t0xy'],
      }),
  })
  .meta({ id: 'DeleteUploads' });
