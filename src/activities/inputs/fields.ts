import { z } from 'zod';
import {
  FAILURE_CODES,
  type IdPrefix,
  isId,
  MEDIA_TYPES,
  type EnhancementParameters,
  type MediaType,
  PLAN_BOUNDS,
  type PlanTerms,
  PROVIDERS,
  WAITING_FOR,
} from '@burnish/contract';
import { enhancementParametersSchema } from '@burnish/contract/schemas';
import { ownerIn } from '../../domain/files/object-keys.ts';

/**
 * A validator for every field of a record, required or not. A field added to the record is a compile error until it has a
 * validator, because a worker ignores fields without one.
 */
export type Shape<T> = { [Field in keyof T]-?: z.ZodType };

/** Maximum length of a list in an input. The longest list contains the spans of a PDF. */
export const MAX_ITEMS = 10_000;
/** Maximum lengths of a URL and of a sentence. Inputs stay far below the size limit of a payload. */
const MAX_URL_LENGTH = 20_000;
const MAX_TEXT_LENGTH = 20_000;
const MAX_NAME_LENGTH = 1_000;

export const id = (prefix: IdPrefix) =>
  z
    .string()
    .max(40)
    .refine((text) => isId(prefix, text), `expected an id of kind ${prefix}`);
export const objectKey = z
  .string()
  .max(500)
  .refine((key) => ownerIn(key) !== undefined, 'expected an object key');
/** Id at the hosted service, in the service's own format. */
export const remoteId = z.string().min(1).max(MAX_NAME_LENGTH);
export const name = z.string().max(MAX_NAME_LENGTH);
export const text = z.string().max(MAX_TEXT_LENGTH);
export const address = z.string().max(MAX_URL_LENGTH);
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export const mediaType = z.enum(Object.keys(MEDIA_TYPES) as [MediaType]);
export const plan = z.object({
  name: z.string().max(MAX_NAME_LENGTH),
  maxResolution: z.number().positive().max(PLAN_BOUNDS.maxResolution.max),
  fairnessWeight: z.number().positive().max(PLAN_BOUNDS.fairnessWeight.max),
} satisfies Shape<PlanTerms>);
export const providerName = z.enum(PROVIDERS);
export const waitingFor = z.enum(WAITING_FOR);
export const failureCode = z.enum(FAILURE_CODES);
/** Languages of the text that is read on scans; absent where none is */
export const textLanguages = enhancementParametersSchema.shape.textLanguages.unwrap().exactOptional();

/** Strict: a worker that does not know a parameter cannot make the result that its caller ordered. */
export const parameters = enhancementParametersSchema as z.ZodType<EnhancementParameters>;
export const count = z.int().nonnegative();
export const milliseconds = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER);
/** ISO 8601 in UTC */
export const time = z.iso.datetime();
