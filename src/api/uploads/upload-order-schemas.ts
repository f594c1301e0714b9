import { z } from 'zod';
import { ENHANCEMENTS_EXAMPLE, enhancementList, MAX_ORDERED_ENHANCEMENTS } from '@burnish/contract/schemas';
import { BUCKET_KEY_FAULT, isBucketKey, MAX_BUCKET_KEY_BYTES } from '@burnish/contract';
import type { UploadOrder } from '../commands/command-types.ts';
import {
  enhancementOrderSchema,
  priority,
  PRIORITY_NAMES,
  pickLabels,
  spending,
  spendingDefaults,
  toEnhancementOrder,
} from '../enhancements/enhancement-order-schemas.ts';
import { bucketName, URL_OR_BUCKET } from '../enhancements/destination-schemas.ts';
import * as enums from '../schemas/enums.ts';
import { customMetadataText, filename, httpUrl, jsonLike, labels, parseNumber } from '../schemas/fields.ts';

/* Bodies of requests that order an upload. */

const enhancements = enhancementList(enhancementOrderSchema, { min: 0 }).meta({
  description: `Enhancements that start when the upload is ready, at most ${MAX_ORDERED_ENHANCEMENTS}.`,
});

const webhookUrl = httpUrl.meta({
  description:
    'http or https URL that receives every event of this upload, signed. URL_NOT_ALLOWED for a private address.',
  example: 'https://example.com/hooks',
});

const PROVIDER_NAMES = { LOCAL: 'local', HOSTED: 'hosted', TEST: 'test' } as const;
const FALLBACK_NAMES = { NONE: 'none', LOCAL: 'local' } as const;

const provider = enums.provider.schema.meta({
  description:
    'Provider of the enhancements. Default: the setting of the instance. HOSTED is refused without a hosted service, and TEST without a test key. Uploads of a test key always have TEST.',
});
const fallback = enums.fallback.schema.meta({
  description: `${enums.fallback.description} Default: the setting of the instance.`,
});

/** Readers use the first 127 bytes of a password at most (ISO 32000-2 section 7.6.4.3.3). */
export const MAX_PASSWORD_LENGTH = 127;

export const pdfPassword = z.string().min(1).max(MAX_PASSWORD_LENGTH).meta({
  description:
    'User or owner password of an encrypted PDF. It is stored encrypted, never returned, and deleted with the upload.',
  format: 'password',
});

export const uploadOrderShape = {
  filename: filename.optional(),
  enhancements: enhancements.optional(),
  password: pdfPassword.optional(),
  webhookUrl: webhookUrl.optional(),
  ...spendingDefaults,
  provider: provider.optional(),
  fallback: fallback.optional(),
  ...labels,
  priority: priority.optional().meta({
    description:
      'Priority of the work. BATCH runs after all STANDARD work, including the work of other accounts. Default STANDARD.',
  }),
};

/** `POST /v1/uploads/{id}/analyze`: nothing, or the password of the PDF. */
export const analyzeAgainBody = z.strictObject({ password: pdfPassword.optional() }).optional();

export const sourceUrl = httpUrl.meta({
  description: 'Public http or https URL of the file, at most 2048 characters. URL_NOT_ALLOWED for a private address.',
  example: 'https://example.com/photo.jpg',
});
export const sourceKey = z
  .string()
  .max(MAX_BUCKET_KEY_BYTES)
  .refine(isBucketKey, BUCKET_KEY_FAULT)
  .meta({ description: 'Key of the file below the prefix of the bucket.', example: 'in/photo.jpg' });

/** Where Burnish gets a file: either a URL, or a bucket and a key. */
const uploadSource = z
  .strictObject({ url: sourceUrl.optional(), bucket: bucketName.optional(), key: sourceKey.optional() })
  .refine(...URL_OR_BUCKET);

/** `POST /v1/uploads` as JSON. */
export const createUploadBody = z
  .strictObject({ source: uploadSource, ...uploadOrderShape })
  .meta({ id: 'CreateUpload' });

/** The order in the query of a raw file: the same fields as texts. A URL must not contain a password. */
export const uploadOrderTexts = z.strictObject({
  filename: uploadOrderShape.filename,
  enhancements: z.string().transform(jsonLike(ENHANCEMENTS_EXAMPLE)).pipe(enhancements).optional(),
  webhookUrl: uploadOrderShape.webhookUrl,
  provider: uploadOrderShape.provider,
  fallback: uploadOrderShape.fallback,
  priority: uploadOrderShape.priority,
  reference: uploadOrderShape.reference,
  customMetadata: customMetadataText.optional(),
  maxCredits: z.string().transform(parseNumber).pipe(spending.maxCredits).optional(),
  creditWait: z.string().transform(parseNumber).pipe(spending.creditWait).optional(),
});
/** The order in the fields of a form. */
export const uploadOrderFields = uploadOrderTexts.extend({ password: uploadOrderShape.password });
type UploadOrderBody = z.infer<typeof uploadOrderFields>;

/** Converts an order for commands. Its `maxCredits` and `creditWait` apply to enhancements that do not set them. */
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
    ...pickLabels({ reference, customMetadata }),
  };
}
