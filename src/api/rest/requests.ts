import { z } from 'zod';
import { enhancementParametersSchema } from '../../domain/parameters.ts';
import { UPLOAD_STATUSES } from '../../domain/upload.ts';
import { MAX_ORDERED_ENHANCEMENTS } from '../commands/admit.ts';
import { isPlainText, MAX_FILENAME_LENGTH } from '../commands/filenames.ts';

/** Seconds that an enhancement waits for credits when nothing is said (decisions.md: 24 h). */
export const DEFAULT_CREDIT_WAIT_SECONDS = 86_400;
const MAX_CREDIT_WAIT_SECONDS = 30 * 86_400;
const MAX_URL_LENGTH = 2048;
const MAX_CREDITS = 1_000_000_000;

/** Decides both fields of an upload's enhancements that do not decide for themselves. */
const spending = {
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

const url = z
  .string()
  .max(MAX_URL_LENGTH)
  .refine(
    (text) => isPlainText(text) && /^https?:/i.test(text) && URL.canParse(text),
    'expected an http or https address',
  )
  .transform((text) => new URL(text).href);

const filename = z
  .string()
  .min(1)
  .max(MAX_FILENAME_LENGTH)
  .refine(isPlainText, 'expected text without control characters')
  .meta({ description: 'Name of the file; folders in it are dropped.', example: 'photo.jpg' });

/** One enhancement: its parameters, and what it may cost and how long it may wait. */
export const enhancementOrderSchema = enhancementParametersSchema
  .extend({
    maxCredits: spending.maxCredits.optional(),
    creditWait: spending.creditWait.optional(),
  })
  .meta({
    id: 'EnhancementOrder',
    description: 'Parameters of one enhancement. Those of images do not go with PDFs, nor those of PDFs with images.',
    example: { mode: 'ENHANCE', upscalingFactor: 'X2' },
  });
export type EnhancementOrderBody = z.infer<typeof enhancementOrderSchema>;

const enhancements = z
  .array(enhancementOrderSchema)
  .max(MAX_ORDERED_ENHANCEMENTS)
  .meta({ description: 'Enhancements that begin as soon as the upload is ready for them.' });

const webhookUrl = url.meta({
  description: 'Address that hears of every event of this upload, signed.',
  example: 'https://example.com/hooks',
});

const orderShape = {
  filename: filename.optional(),
  enhancements: enhancements.optional(),
  webhookUrl: webhookUrl.optional(),
  maxCredits: spending.maxCredits.optional(),
  creditWait: spending.creditWait.optional(),
};

/** `POST /v1/uploads` as JSON. */
export const createUploadBody = z
  .strictObject({
    source: z.strictObject({
      url: url.meta({
        description: 'Publicly reachable address of the file.',
        example: 'https://example.com/photo.jpg',
      }),
    }),
    ...orderShape,
  })
  .meta({ id: 'CreateUpload' });

/** What comes along with a file: form fields, or parameters of the query. */
const number = (text: string): number => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN);
const json = (text: string, context: z.RefinementCtx): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'expected JSON text' });
    return z.NEVER;
  }
};

/** The same fields as texts. */
export const uploadOrderTexts = z.strictObject({
  filename: orderShape.filename,
  enhancements: z.string().transform(json).pipe(enhancements).optional(),
  webhookUrl: orderShape.webhookUrl,
  maxCredits: z.string().transform(number).pipe(spending.maxCredits).optional(),
  creditWait: z.string().transform(number).pipe(spending.creditWait).optional(),
});
export type UploadOrderBody = z.infer<typeof uploadOrderTexts>;

const page = {
  limit: z
    .string()
    .transform(number)
    .pipe(z.number().int().min(1).max(100))
    .optional()
    .meta({
      description: 'Most items of a page, 1 to 100. Default 20.',
      override: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    }),
  after: z.string().min(1).max(500).optional().meta({ description: 'The `next` of the page before.' }),
};
export const DEFAULT_PAGE_LIMIT = 20;

export const listUploadsQuery = z.strictObject({ ...page, status: z.enum(UPLOAD_STATUSES).optional() });
export const listEnhancementsQuery = z.strictObject(page);
export const noQuery = z.strictObject({});
/** Commands without parameters take no body, or an empty object. */
export const noBody = z.strictObject({}).optional();
export const eventsQuery = z.strictObject({
  until: z
    .enum(['settled'])
    .optional()
    .meta({ description: '`settled`: the stream ends once nothing runs or waits any more.' }),
});

/** 1 to 255 visible ASCII characters. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'expected 1 to 255 visible ASCII characters')
  .meta({
    description:
      'Makes the change happen once: the same key with the same request gives the same answer; with another request it is refused.',
    example: 'order-4711',
  });
