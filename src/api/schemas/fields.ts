import { z } from 'zod';
import {
  Failure,
  FAILURE_CODES,
  MEDIA_TYPES,
  type MediaType,
  type IdPrefix,
  MAX_CUSTOM_METADATA_BYTES,
  MAX_REFERENCE_LENGTH,
} from '@burnish/contract';
import { readJsonText } from '@burnish/contract/schemas';
import { withoutHiddenMarks } from '../../domain/upload/filenames.ts';
import { waitingForEnum } from './enums.ts';

/** Name of a component of the OpenAPI document: `NOT_FOUND` as `NotFound`, and `API key id` as `ApiKeyId`. */
export const componentName = (words: string): string =>
  words.toLowerCase().replace(/(?:^|[_ ])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Maximum length of a file name, in UTF-16 units. */
const MAX_FILENAME_LENGTH = 255;

/** Control characters and unpaired surrogates, which neither a database nor a header accepts. */
const UNUSABLE = /[\p{Cc}\p{Surrogate}]/u;

export function isPlainText(text: string): boolean {
  return !UNUSABLE.test(text);
}

/** A text of 1 to `max` UTF-16 units that can be stored and sent unchanged. */
export const plainText = (max: number) =>
  z.string().min(1).max(max).refine(isPlainText, 'expected text without control characters');

/**
 * The last part of a caller's file name, without folders and without characters that disguise the name.
 * @returns null when the rest is empty
 * @throws Failure BAD_USER_INPUT for a name that is too long or contains control characters
 */
export function baseFilename(given: string): string | null {
  const name = withoutHiddenMarks(given.split(/[/\\]/).at(-1)!).trim();
  if (name.length > MAX_FILENAME_LENGTH || !isPlainText(name)) {
    throw new Failure('BAD_USER_INPUT', {
      field: 'filename',
      detail: `The file name is too long, or has control characters. Send at most ${MAX_FILENAME_LENGTH} characters without them.`,
    });
  }
  return name === '' || name === '.' || name === '..' ? null : name;
}

export function defaultFilename(mimetype: MediaType): string {
  return `upload.${MEDIA_TYPES[mimetype].extension}`;
}

/** The last part of a URL's path, if it is a valid name; `upload` otherwise. */
export function filenameOfUrl(url: string): string {
  try {
    return baseFilename(decodeURIComponent(new URL(url).pathname)) ?? 'upload';
  } catch {
    return 'upload';
  }
}

const MAX_URL_LENGTH = 2048;

export const parseNumber = (text: string): number => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN);

/** An http or https URL, normalised. It may contain a secret in any part: `secret-addresses.ts` stores it. */
export const httpUrl = z
  .string()
  .max(MAX_URL_LENGTH)
  .refine(
    (text) => isPlainText(text) && /^https?:/i.test(text) && URL.canParse(text),
    'expected a URL that starts with https:// or http://',
  )
  .transform((text) => new URL(text).href)
  .meta({ format: 'uri' });

export const filename = plainText(MAX_FILENAME_LENGTH).meta({
  description: `Name of the file, 1 to ${MAX_FILENAME_LENGTH} characters. Folders in it are removed. Default: the name in the URL or in the form.`,
  example: 'photo.jpg',
});

/** The caller's own id of a record. */
export const reference = plainText(MAX_REFERENCE_LENGTH).meta({
  description: `Your own id, such as an order number, 1 to ${MAX_REFERENCE_LENGTH} characters. Responses, events and lists contain it. Operators can read it in the Temporal Web UI.`,
  example: 'order-4711',
});

/** Maximum depth of nested objects and lists, which a reader of a response may follow by recursion. */
const MAX_METADATA_DEPTH = 50;

const metadataObject = z
  .record(z.string(), z.unknown())
  .refine((value) => isWithin(MAX_METADATA_DEPTH, value), {
    error: `expected at most ${MAX_METADATA_DEPTH} levels of objects and lists`,
    abort: true,
  })
  .refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_CUSTOM_METADATA_BYTES,
    `expected a JSON object of at most ${MAX_CUSTOM_METADATA_BYTES} bytes`,
  )
  .refine(isStorable, 'expected text without NUL characters and unpaired surrogates');

// Zod leaves this name out of its result, so the metadata would lose it silently.
const customMetadata = z
  .preprocess((value, context) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '__proto__')) return value;
    context.addIssue({ code: 'custom', message: 'expected no name __proto__' });
    return z.NEVER;
  }, metadataObject)
  .meta({
    description: `Your own data as a JSON object of at most ${MAX_CUSTOM_METADATA_BYTES} bytes. Responses and events contain it.`,
    example: { customer: 'c-17' },
  });

function isWithin(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((each) => isWithin(depth - 1, each));
}

/** Whether PostgreSQL's JSONB can store a value. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !/\p{Surrogate}|\0/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, each]) => isStorable(name) && isStorable(each));
}

/** Reads JSON from a field of a form or a query. @param example of what the field accepts */
export const jsonLike =
  (example: string) =>
  (text: string, context: z.RefinementCtx): unknown => {
    const read = readJsonText(text);
    if ('value' in read) return read.value;
    const message = `JSON such as ${example}; the text is wrong at line ${read.line}, column ${read.column}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };

/** Labels in an order, and their text form in forms, queries and GraphQL. */
export const labels = { reference: reference.optional(), customMetadata: customMetadata.optional() };
export const customMetadataText = z
  .string()
  .transform(jsonLike('{"customer":"c-17"}'))
  .pipe(customMetadata)
  .meta({ description: `${customMetadata.description} As JSON text.` });
export const labelFields = {
  reference: z.string().nullable().meta({ description: 'Your own id, as given at creation.' }),
  customMetadata: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description: 'Your own data, as given at creation.' }),
};

/** 1 to 255 visible ASCII characters. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'expected 1 to 255 visible ASCII characters')
  .meta({
    description:
      'Makes the change idempotent. A repeated request with the same key, such as `order-4711`, gets the same response. A different request with the key is refused.',
  });

/** The request header with it. The OpenAPI document describes the header once. */
export const idempotencyHeader = idempotencyKey.optional().meta({ param: { id: 'IdempotencyKey' } });

const RECORDS: Record<IdPrefix, string> = {
  acc: 'account',
  upl: 'upload',
  enh: 'enhancement',
  evt: 'event',
  whk: 'webhook endpoint',
  key: 'API key',
  dlv: 'delivery',
  bat: 'batch',
  bkt: 'bucket',
};

/** Description of the id of a record, with an example. */
export const idMeta = (prefix: IdPrefix): { description: string; example: string } => ({
  description: `Id of the ${RECORDS[prefix]}.`,
  example: `${prefix}_01jz8k3v5wq4m2n7p9r6s8t0xy`,
});

/** Name of the path parameter in the OpenAPI document, such as `ApiKeyId`. */
export const idParameterName = (prefix: IdPrefix): string => componentName(`${RECORDS[prefix]} id`);

export const recordId = (prefix: IdPrefix) => z.string().meta(idMeta(prefix));

export const timestamp = z.iso.datetime().meta({ example: '2026-01-31T09:30:00.000Z' });

export const mediaType = z.enum(Object.keys(MEDIA_TYPES) as [keyof typeof MEDIA_TYPES]);

export const errorCode = z
  .enum(FAILURE_CODES)
  .meta({ id: 'ErrorCode', description: 'Error code. REST, GraphQL and events share one list of codes.' });

export const waitingFor = waitingForEnum.schema
  .nullable()
  .meta({ description: `${waitingForEnum.description} Null while it runs and after its end.` });

/** Public names of providers, by their name in records. */
export const PROVIDER_SPELLINGS = { local: 'LOCAL', hosted: 'HOSTED', test: 'TEST' } as const;
export const currentProvider = z
  .enum(['LOCAL', 'HOSTED', 'TEST'])
  .meta({ description: 'Provider of the work. HOSTED becomes LOCAL when the engine of this instance takes over.' });
