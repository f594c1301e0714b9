import { createHash, randomBytes } from 'node:crypto';
import { Failure } from '../../domain/failures.ts';
import type { IdempotencyKeys } from '../../database/uploads/idempotency-keys.ts';
import type { IdempotencyKey } from './command-types.ts';
import { derivedId, type IdPrefix } from '../../domain/ids.ts';

export interface ClaimRequest {
  accountId: string;
  key: IdempotencyKey;
  operation: string;
  fingerprint: string;
  subjectId: string;
}

/**
 * Claims an idempotency key for a request.
 * @returns whether the same request has been made under the same key before
 * @throws Failure IDEMPOTENCY_KEY_REUSED when the key belongs to another request
 */
export async function claimIdempotencyKey(
  keys: Pick<IdempotencyKeys, 'claim'>,
  { key, ...request }: ClaimRequest,
): Promise<boolean> {
  if (key === null) return false;
  const { outcome } = await keys.claim({ ...request, key });
  if (outcome === 'different') throw keyUsedForAnotherRequest();
  return outcome === 'same';
}

/** The refusal of a key that belongs to another request. */
export function keyUsedForAnotherRequest(): Failure {
  return new Failure('IDEMPOTENCY_KEY_REUSED', { field: 'Idempotency-Key' });
}

/**
 * Hex SHA-256 of a JSON value, whatever the order of its members. Passwords are left out, because a
 * reader of their digest could try passwords.
 */
export function fingerprint(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex');
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'password');
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

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
