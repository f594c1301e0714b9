import { z } from 'zod';
import { enhancementParametersSchema } from '../../domain/enhancement/parameters-schema.ts';
import { MEDIA_TYPES } from '../../domain/upload/media.ts';
import { MAX_DELETED_UPLOADS } from './upload-commands.ts';
import { MAX_ORDERED_ENHANCEMENTS } from './check-order.ts';
import { filename, httpUrl, numberOf } from '../schemas/fields.ts';

/** Seconds that an enhancement waits for credits when nothing is said (docs/contract.md: 24 h). */
export const DEFAULT_CREDIT_WAIT_SECONDS = 86_400;
const MAX_CREDIT_WAIT_SECONDS = 30 * 86_400;
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

/** How callers spell the turn of their work. `interactive` goes to callers that wait; no word asks for it. */
export const PRIORITY_NAMES = { STANDARD: 'single', BATCH: 'batch' } as const;

const priority = z.enum(Object.keys(PRIORITY_NAMES) as [keyof typeof PRIORITY_NAMES]);
const uploadPriority = priority.meta({
  description:
    'BATCH: this work is one of many, and lets all STANDARD work go first, also that of other accounts. Default STANDARD.',
});

/** One enhancement: its parameters, and what it may cost and how long it may wait. */
export const enhancementOrderSchema = enhancementParametersSchema
  .extend({
    maxCredits: spending.maxCredits.optional(),
    creditWait: spending.creditWait.optional(),
    priority: priority.optional().meta({
      description:
        'As for an upload. Default: that of the upload that it is ordered with; STANDARD when it is ordered later.',
    }),
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

const webhookUrl = httpUrl.meta({
  description: 'Address that hears of every event of this upload, signed.',
  example: 'https://example.com/hooks',
});

/** How callers spell who does the work, and who takes over. */
export const PROVIDER_NAMES = { LOCAL: 'local', HOSTED: 'hosted' } as const;
export const FALLBACK_NAMES = { NONE: 'none', LOCAL: 'local' } as const;

const provider = z.enum(Object.keys(PROVIDER_NAMES) as [keyof typeof PROVIDER_NAMES]).meta({
  description:
    'Who enhances: the engine of this instance, or the hosted service that it may have. Default: as the instance is set.',
});
const fallback = z.enum(Object.keys(FALLBACK_NAMES) as [keyof typeof FALLBACK_NAMES]).meta({
  description:
    'Who takes over when the hosted service stays away: nobody, or the engine of this instance. Default: as the instance is set.',
});

const orderShape = {
  filename: filename.optional(),
  enhancements: enhancements.optional(),
  webhookUrl: webhookUrl.optional(),
  maxCredits: spending.maxCredits.optional(),
  creditWait: spending.creditWait.optional(),
  provider: provider.optional(),
  fallback: fallback.optional(),
  priority: uploadPriority.optional(),
};

/** `POST /v1/uploads` as JSON. */
export const createUploadBody = z
  .strictObject({
    source: z.strictObject({
      url: httpUrl.meta({
        description: 'Publicly reachable address of the file.',
        example: 'https://example.com/photo.jpg',
      }),
    }),
    ...orderShape,
  })
  .meta({ id: 'CreateUpload' });

/** `POST /v1/uploads/signed`. */
export const createSignedUploadBody = z
  .strictObject({
    ...orderShape,
    filename,
    filesize: z.int().min(0).meta({ description: 'Bytes that the file has, exactly.', example: 2_400_000 }),
    mimetype: z
      .string()
      .max(100)
      .meta({
        description: 'Type that the file has by its content.',
        example: 'image/jpeg',
        override: { type: 'string', enum: Object.keys(MEDIA_TYPES) },
      }),
  })
  .meta({ id: 'CreateSignedUpload' });

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

/** What comes along with a file: form fields, or parameters of the query. */
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
  provider: orderShape.provider,
  fallback: orderShape.fallback,
  priority: orderShape.priority,
  maxCredits: z.string().transform(numberOf).pipe(spending.maxCredits).optional(),
  creditWait: z.string().transform(numberOf).pipe(spending.creditWait).optional(),
});
export type UploadOrderBody = z.infer<typeof uploadOrderTexts>;

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
      'Makes the change happen once: the same key, such as `order-4711`, with the same request gives the same answer; with another request it is refused.',
  });
