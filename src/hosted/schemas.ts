import { z } from 'zod';

/*
 * Schemas of the service's responses. Parsing is lenient for harmless differences (statuses, numbers, metadata, additional
 * fields), and strict for ids and URLs.
 */

/** An id at the service, for requests, logs and the database. */
export const remoteId = z
  .union([z.string(), z.int().transform(String)])
  .pipe(z.string().regex(/^[\x21-\x7e]{1,200}$/, 'expected an id of 1 to 200 printable characters'));

/** A URL for a request; the SSRF-safe client checks its host. */
export const hostedUrl = z
  .string()
  .max(8192)
  .regex(/^https?:\/\/[\x21-\x7e]+$/i, 'expected an http or https URL')
  .refine((text) => URL.canParse(text), 'expected an address');

const status = z.string().max(100).nullish().catch(null);
/** A number, also as a text, that is neither negative nor above the largest exact integer. */
export const lenientNumber = z
  .union([
    z.number(),
    z
      .string()
      .max(30)
      .regex(/^\s*\d+(\.\d+)?\s*$/)
      .transform(Number),
  ])
  .pipe(z.number().min(0).max(Number.MAX_SAFE_INTEGER));
const optionalNumber = lenientNumber.nullish().catch(null);

export const uploadSchema = z.object({
  id: remoteId,
  status,
  subStatus: status,
  metadata: z.unknown().optional(),
  filesize: optionalNumber,
  mimetype: z.string().max(200).nullish().catch(null),
  errorCode: status,
});
export type UploadAnswer = z.infer<typeof uploadSchema>;

export const signedUploadSchema = z.object({ uploadId: remoteId, uploadUrl: hostedUrl });

export const beganSchema = z.object({ id: remoteId, status });

export const enhancementSchema = z
  .object({
    id: remoteId,
    status,
    fullUrl: hostedUrl.nullish(),
    filename: z.string().max(1000).nullish().catch(null),
    engineDuration: optionalNumber,
    /** The public service's name for `engineDuration` */
    viesusDuration: optionalNumber,
    errorCode: z.string().nullish().catch(null),
    uploadId: remoteId.nullish().catch(null),
  })
  .transform(({ viesusDuration, ...answer }) => ({
    ...answer,
    engineDuration: answer.engineDuration ?? viesusDuration,
  }));
export type EnhancementAnswer = z.infer<typeof enhancementSchema>;

export const creditsSchema = z.object({ remainingCreditsThisPeriod: lenientNumber });

export const anything = z.unknown();

export const analyzeSchema = z.object({ success: z.boolean().nullish().catch(null) });

export const listedEnhancementsSchema = z.object({
  enhancedImages: z
    .array(
      z.object({
        id: remoteId,
        status,
        createdAt: z.string().max(100).nullish().catch(null),
        parameters: z.record(z.string(), z.unknown()).nullish().catch(null),
      }),
    )
    .max(1000),
});
export type ListedEnhancement = z.infer<typeof listedEnhancementsSchema>['enhancedImages'][number];

const fieldNames = z
  .object({ fields: z.array(z.object({ name: z.string().max(200) })).max(1000) })
  .nullish()
  .catch(null)
  .transform((type) => (type?.fields ?? []).map(({ name }) => name));
export const schemaFieldsSchema = z.object({
  upload: fieldNames,
  enhancedImage: fieldNames,
  parameters: fieldNames,
  pdfOptions: fieldNames,
});
export type SchemaFields = z.infer<typeof schemaFieldsSchema>;
