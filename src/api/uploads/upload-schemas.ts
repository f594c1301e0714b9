import { z } from 'zod';
import type { UploadOrder, UploadWithEnhancements } from '../commands/command-types.ts';
import {
  enhancementInputSchema,
  enhancementOrderSchema,
  priority,
  PRIORITY_NAMES,
  givenOf,
  spending,
  toEnhancementOrder,
  enhancementSchema,
  representEnhancement,
} from '../enhancements/enhancement-schemas.ts';
import {
  customMetadataText,
  filename,
  httpUrl,
  jsonOf,
  labels,
  numberOf,
  currentProvider,
  errorCode,
  givenLabels,
  mediaType,
  PROVIDER_SPELLINGS,
  recordId,
  timestamp,
  waitingFor,
} from '../schemas/fields.ts';
import { MAX_ORDERED_ENHANCEMENTS } from './check-order.ts';
import type {
  UploadRepresentation,
  UploadWithEnhancementsRepresentation,
} from '../../domain/representations/upload.ts';
import { MEDIA_TYPES, mediaKind } from '../../domain/upload/media.ts';
import { UPLOAD_STATUSES, UPLOAD_SUB_STATUSES, type Upload, type Labelled } from '../../domain/upload/upload.ts';
import type { WaitingFor } from '../../domain/machinery.ts';
import type { FileAddresses } from '../files/file-addresses.ts';
import type { WorkersAway } from '../health/workers-watch.ts';
import { listFilter, pageQuery } from '../schemas/paging.ts';

const enhancements = z
  .array(enhancementOrderSchema)
  .max(MAX_ORDERED_ENHANCEMENTS)
  .meta({ description: 'Enhancements that begin as soon as the upload is ready for them.' });

const webhookUrl = httpUrl.meta({
  description: 'Address that receives every event of this upload, signed.',
  example: 'https://example.com/hooks',
});

/** Public names of providers and fallbacks. */
const PROVIDER_NAMES = { LOCAL: 'local', HOSTED: 'hosted' } as const;
const FALLBACK_NAMES = { NONE: 'none', LOCAL: 'local' } as const;

const provider = z.enum(Object.keys(PROVIDER_NAMES) as [keyof typeof PROVIDER_NAMES]).meta({
  description: 'The engine of this instance, or its hosted service. Default: the setting of the instance.',
});
const fallback = z.enum(Object.keys(FALLBACK_NAMES) as [keyof typeof FALLBACK_NAMES]).meta({
  description:
    'Provider that takes over while the hosted service is away: none, or the engine of this instance. Default: the setting of the instance.',
});

/** Readers use the first 127 bytes of a password at most (ISO 32000-2 section 7.6.4.3.3). */
export const MAX_PASSWORD_LENGTH = 127;

export const pdfPassword = z.string().min(1).max(MAX_PASSWORD_LENGTH).meta({
  description:
    'Password of an encrypted PDF, of the user or of the owner. It is stored encrypted, appears in no record, and is deleted with the upload.',
  format: 'password',
});

export const uploadOrderShape = {
  filename: filename.optional(),
  enhancements: enhancements.optional(),
  password: pdfPassword.optional(),
  webhookUrl: webhookUrl.optional(),
  maxCredits: spending.maxCredits.optional(),
  creditWait: spending.creditWait.optional(),
  provider: provider.optional(),
  fallback: fallback.optional(),
  ...labels,
  priority: priority.optional().meta({
    description: 'BATCH runs after all STANDARD work, including the work of other accounts. Default STANDARD.',
  }),
};

/** The same as a GraphQL input, where metadata is JSON text. */
export const uploadOrderInputShape = {
  ...uploadOrderShape,
  enhancements: z.array(enhancementInputSchema).max(MAX_ORDERED_ENHANCEMENTS).optional(),
  customMetadata: customMetadataText.optional(),
};
/** `POST /v1/uploads/{id}/analyze`: nothing, or the password of the PDF. */
export const analyzeAgainBody = z.strictObject({ password: pdfPassword.optional() }).optional();

/** `POST /v1/uploads` as JSON. */
export const createUploadBody = z
  .strictObject({
    source: z.strictObject({
      url: httpUrl.meta({
        description: 'Publicly reachable address of the file.',
        example: 'https://example.com/photo.jpg',
      }),
    }),
    ...uploadOrderShape,
  })
  .meta({ id: 'CreateUpload' });

/** The order in the query of a raw file: the same fields as texts. An address must not contain a password. */
export const uploadOrderTexts = z.strictObject({
  filename: uploadOrderShape.filename,
  enhancements: z.string().transform(jsonOf).pipe(enhancements).optional(),
  webhookUrl: uploadOrderShape.webhookUrl,
  provider: uploadOrderShape.provider,
  fallback: uploadOrderShape.fallback,
  priority: uploadOrderShape.priority,
  reference: uploadOrderShape.reference,
  customMetadata: customMetadataText.optional(),
  maxCredits: z.string().transform(numberOf).pipe(spending.maxCredits).optional(),
  creditWait: z.string().transform(numberOf).pipe(spending.creditWait).optional(),
});
/** The order in the fields of a form. */
export const uploadOrderFields = uploadOrderTexts.extend({ password: uploadOrderShape.password });
type UploadOrderBody = z.infer<typeof uploadOrderFields>;

/** Converts an order for commands. Its `maxCredits` and `creditWait` apply to enhancements without their own. */
export function toUploadOrder(body: UploadOrderBody): UploadOrder {
  const {
    filename,
    enhancements,
    password,
    webhookUrl,
    provider,
    fallback,
    priority,
    reference,
    customMetadata,
    ...defaults
  } = body;
  return {
    filename: filename ?? null,
    webhookUrl: webhookUrl ?? null,
    enhancements: (enhancements ?? []).map((each) => toEnhancementOrder(each, defaults)),
    // Absent fields remain absent: a repetition under an idempotency key must have the same fingerprint.
    ...(password === undefined ? {} : { password }),
    ...(provider === undefined ? {} : { provider: PROVIDER_NAMES[provider] }),
    ...(fallback === undefined ? {} : { fallback: FALLBACK_NAMES[fallback] }),
    ...(priority === undefined ? {} : { urgency: PRIORITY_NAMES[priority] }),
    ...givenOf({ reference, customMetadata }),
  };
}

/** Maximum number of uploads in one deletion. */
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
  filesize: z.number().int().nullable().meta({ description: 'Bytes; null until the file has arrived.' }),
  mimetype: mediaType.nullable().meta({ description: 'Detected by content.' }),
  extension: z.string().nullable(),
  originalFilename: z.string(),
  filename: z.string().nullable().meta({ description: 'Storage filename; null until the file has arrived.' }),
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
