import { createHash, randomBytes } from 'node:crypto';
import { derivedId, isId, type IdPrefix } from '../../domain/ids.ts';
import type { IdempotencyKey } from './command-types.ts';
import { Failure } from '../../domain/failures.ts';

/** SHA-256 over parts that cannot run into each other. */
function digest(...parts: string[]): Uint8Array {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

/**
 * The id that a caller's key and request fix, so that a second try meets what the first one made. The request is part of
 * it, since a key may be used again for another request once it has been forgotten.
 */
export function keyedId(prefix: IdPrefix, accountId: string, key: string, requestFingerprint: string): string {
  return derivedId(prefix, digest(prefix, accountId, key, requestFingerprint));
}

/**
 * The id of the `index`th enhancement that an upload was ordered with. They are all of one moment, so lists sort them by id:
 * the place stands in its last byte, and they are read in the order in which they were given.
 */
export function orderedEnhancementId(uploadId: string, index: number): string {
  const bytes = digest('ordered', uploadId).slice(0, 16);
  bytes[15] = index;
  return derivedId('enh', bytes);
}

/** The id of an update: with a key, a retry of the same command is the same update. */
export function updateIdFor(accountId: string, operation: string, key: IdempotencyKey): string {
  return key === null
    ? randomBytes(16).toString('hex')
    : Buffer.from(digest(accountId, operation, key)).toString('hex');
}

/** @throws Failure NOT_FOUND, the same for a record that is unknown and for one of another account */
export function requireRecord<T>(record: T | undefined): T {
  if (record === undefined) throw new Failure('NOT_FOUND');
  return record;
}

/**
 * Reads a record by an id that a caller wrote. A text that cannot be an id does not reach the database.
 * @throws Failure NOT_FOUND
 */
export async function requireById<T>(
  prefix: IdPrefix,
  id: string,
  read: (id: string) => Promise<T | undefined>,
): Promise<T> {
  return requireRecord(isId(prefix, id) ? await read(id) : undefined);
}
