import { z } from 'zod';
import type { UploadOrder } from '../commands/command-types.ts';
import {
  enhancementInputSchema,
  enhancementOrderSchema,
  priority,
  PRIORITY_NAMES,
  givenOf,
  spending,
  toEnhancementOrder,
} from '../enhancements/enhancement-schemas.ts';
import { customMetadataText, filename, httpUrl, jsonOf, labels, numberOf } from '../schemas/fields.ts';
import { MAX_ORDERED_ENHANCEMENTS } from './check-order.ts';

const enhancements = z
  .array(enhancementOrderSchema)
  .max(MAX_ORDERED_ENHANCEMENTS)
  .meta({ description: 'Enhancements that begin as soon as the upload is ready for them.' });

const webhookUrl = httpUrl.meta({
  description: 'Address that receives every event of this upload, signed.',
  example: 'https://example.com/hooks',
});

/** Providers and fallbacks, as callers spell them. */
const PROVIDER_NAMES = { LOCAL: 'local', HOSTED: 'hosted' } as const;
const FALLBACK_NAMES = { NONE: 'none', LOCAL: 'local' } as const;

const provider = z.enum(Object.keys(PROVIDER_NAMES) as [keyof typeof PROVIDER_NAMES]).meta({
  description: 'The engine of this instance, or its hosted service. Default: the setting of the instance.',
});
const fallback = z.enum(Object.keys(FALLBACK_NAMES) as [keyof typeof FALLBACK_NAMES]).meta({
  description:
    'Takes over while the hosted service is away: nothing, or the engine of this instance. Default: the setting of the instance.',
});

/** Readers use the first 127 bytes of a password at most (ISO 32000-2 section 7.6.4.3.3). */
export const MAX_PASSWORD_LENGTH = 127;

export const pdfPassword = z.string().min(1).max(MAX_PASSWORD_LENGTH).meta({
  description:
    'Password of an encrypted PDF, of the user or of the owner. It is stored encrypted, appears in no record, and goes with the upload.',
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
    description:
      'BATCH: this work is one of many, and lets all STANDARD work go first, also that of other accounts. Default STANDARD.',
  }),
};

/** The same as an input of GraphQL, where metadata is JSON text. */
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

/** The order that comes with a file in the query: the same fields as texts. A password has no place in an address. */
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

/** An order as commands take it. Its `maxCredits` and `creditWait` apply to enhancements without their own. */
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
    // Absent fields stay absent: a repetition under an idempotency key must have the same fingerprint.
    ...(password === undefined ? {} : { password }),
    ...(provider === undefined ? {} : { provider: PROVIDER_NAMES[provider] }),
    ...(fallback === undefined ? {} : { fallback: FALLBACK_NAMES[fallback] }),
    ...(priority === undefined ? {} : { urgency: PRIORITY_NAMES[priority] }),
    ...givenOf({ reference, customMetadata }),
  };
}
