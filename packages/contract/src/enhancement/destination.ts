import { BUCKET_KEY_FAULT, isBucketKey } from '../accounts/bucket.ts';
import { toPublicAddress } from '../public-address.ts';
import { Failure } from '../failure.ts';
import { type FailureCode, FAILURES } from '../failures.ts';

/** Where a caller wants the result: a presigned PUT URL, or a registered bucket with a template of the key. */
export type DestinationOrder = { url: string } | BucketDestination;

/** A registered bucket with the template of a key. */
export interface BucketDestination {
  bucket: string;
  key: string;
}

export const DESTINATION_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type DestinationStatus = (typeof DESTINATION_STATUSES)[number];

/** State of a destination. It has no secret: the complete URL stays encrypted in the database. */
export interface Destination {
  /** Scheme and host of the URL; null for a bucket */
  url: string | null;
  /** Name of the registered bucket; null for a URL */
  bucket: string | null;
  /** Key in the bucket; `{name}` stands for the file name of the result until it is written. Null for a URL */
  key: string | null;
  status: DestinationStatus;
  errorCode: FailureCode | null;
  errorDetail: string | null;
  /** ISO 8601; null before */
  deliveredAt: string | null;
}

/** Placeholders in the template of a key. */
export const KEY_PLACEHOLDERS = ['name', 'reference', 'uploadId', 'enhancementId'] as const;
type Placeholder = (typeof KEY_PLACEHOLDERS)[number];

/** Maximum length of a template in characters */
export const MAX_KEY_TEMPLATE_LENGTH = 500;

/**
 * Checks the template of a key.
 * @returns the fault as the end of a sentence; undefined for a valid template
 */
export function faultInTemplate(template: string): string | undefined {
  const unknown = [...template.matchAll(/\{([^{}]*)\}?/g)].find(
    ([text, name]) => !text.endsWith('}') || !(KEY_PLACEHOLDERS as readonly string[]).includes(name!),
  );
  if (unknown !== undefined) {
    return `expected only the placeholders ${KEY_PLACEHOLDERS.map((name) => `{${name}}`).join(', ')}`;
  }
  const filled = template.replace(/\{\w+\}/g, 'x');
  return isBucketKey(filled) ? undefined : BUCKET_KEY_FAULT;
}

/** Fills in placeholders. Slashes in values become underscores, so that no value adds a folder. */
function fill(template: string, values: Partial<Record<Placeholder, string>>): string {
  return template.replace(/\{(\w+)\}/g, (text, name: Placeholder) => {
    const value = values[name];
    return value === undefined ? text : value.replace(/[/\\{}]/g, '_');
  });
}

/**
 * The state of a new destination. Its key has all values but the name of the result.
 * @throws Failure BAD_USER_INPUT with field `destination.key` for `{reference}` without a reference
 */
export function newDestination(
  order: DestinationOrder,
  ids: { uploadId: string; enhancementId: string; reference: string | null },
): Destination {
  const pending = { status: 'PENDING', errorCode: null, errorDetail: null, deliveredAt: null } as const;
  if ('url' in order) return { url: toPublicAddress(order.url), bucket: null, key: null, ...pending };
  const { reference, ...rest } = ids;
  if (reference === null && order.key.includes('{reference}')) {
    const detail = 'The key has {reference}, but the order has no reference. Set one, or change the key.';
    throw new Failure('BAD_USER_INPUT', { field: 'destination.key', detail });
  }
  const key = fill(order.key, { ...rest, ...(reference === null ? {} : { reference }) });
  if (!isBucketKey(key.replace('{name}', 'x'))) {
    const detail = 'The key with its reference is not valid. Use a reference without . and .. as a part of the key.';
    throw new Failure('BAD_USER_INPUT', { field: 'destination.key', detail });
  }
  return { url: null, bucket: order.bucket, key, ...pending };
}

/** Removes the path of a URL, which workflows from before 1.0.0 carry. */
export const withoutPath = <Value extends Destination | null | undefined>(destination: Value): Value =>
  destination?.url ? { ...destination, url: toPublicAddress(destination.url) } : destination;

/** The key of a result in its bucket. @throws Failure DESTINATION_REFUSED for a key that no bucket accepts */
export function finalKey(key: string, filename: string): string {
  const filled = fill(key, { name: filename });
  if (isBucketKey(filled)) return filled;
  const detail =
    'The key with the name of the result has more than 1,024 bytes. Enhance the file again with a shorter key.';
  throw new Failure('DESTINATION_REFUSED', { detail });
}

export const isPending = (destination: Destination | null | undefined): destination is Destination =>
  destination?.status === 'PENDING';

/** A destination that gets nothing, because the enhancement or its upload ended first. */
export function cancelledDestination(destination: Destination): Destination {
  const errorCode = 'DESTINATION_CANCELLED';
  return { ...destination, status: 'FAILED', errorCode, errorDetail: FAILURES[errorCode].sentence };
}
