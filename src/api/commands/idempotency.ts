import { createHash, randomBytes } from 'node:crypto';
import { Failure, derivedId, nthId, type IdPrefix } from '@burnish/contract';
import type { IdempotencyClaim, IdempotencyKeys, IdempotencyOutcome } from '../../database/uploads/idempotency-keys.ts';
import type { IdempotencyKey } from './command-types.ts';
import { AsyncLocalStorage } from 'node:async_hooks';

export interface ClaimRequest {
  accountId: string;
  idempotencyKey: IdempotencyKey;
  operation: string;
  subjectId: string;
  /** Absent: the request is about the subject alone */
  fingerprint?: string;
}

/**
 * Claims an idempotency key for a request.
 * @returns whether an equal request with the same key came before
 * @throws Failure IDEMPOTENCY_KEY_REUSED when the key belongs to another request
 */
export async function claimIdempotencyKey(
  keys: Pick<IdempotencyKeys, 'claim'>,
  { idempotencyKey: key, fingerprint: print, ...request }: ClaimRequest,
): Promise<boolean> {
  if (key === null) return false;
  return (await claimKey(keys, { ...request, key, fingerprint: print ?? request.subjectId })).outcome === 'same';
}

/**
 * The same for a request that certainly has a key.
 * @returns the outcome, with the subject of the first request
 */
export async function claimKey(
  keys: Pick<IdempotencyKeys, 'claim'>,
  claim: IdempotencyClaim,
): Promise<IdempotencyOutcome> {
  const claimed = await keys.claim(claim);
  if (claimed.outcome === 'different') throw keyUsedForAnotherRequest();
  if (claimed.outcome === 'same') noteReplay();
  return claimed;
}

export function keyUsedForAnotherRequest(): Failure {
  return new Failure('IDEMPOTENCY_KEY_REUSED', { field: 'Idempotency-Key' });
}

/**
 * Hex SHA-256 of a JSON value, independent of the order of its members. Omits passwords, because their digest would
 * allow guessing.
 */
export function fingerprint(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex');
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'password');
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** SHA-256 over delimited parts. */
function digest(...parts: string[]): Uint8Array {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

/**
 * The id derived from a caller's key and request, so that a retry finds the record of the first request. It includes
 * the request, since an expired key may be reused for another request.
 */
export function keyedId(prefix: IdPrefix, accountId: string, key: string, requestFingerprint: string): string {
  return derivedId(prefix, digest(prefix, accountId, key, requestFingerprint));
}

/**
 * The id of the `index`th enhancement in the order of an upload. These enhancements have the same creation time, so
 * lists sort them by id.
 */
export const orderedEnhancementId = (uploadId: string, index: number): string =>
  nthId(derivedId('enh', digest('ordered', uploadId)), index);

/** The id of an update. With a key, a retry of the same command has the same id. */
export function updateIdFor(accountId: string, operation: string, idempotencyKey: IdempotencyKey): string {
  return idempotencyKey === null
    ? randomBytes(16).toString('hex')
    : Buffer.from(digest(accountId, operation, idempotencyKey)).toString('hex');
}

/** What the running request does when it repeats an earlier one. Commands do not know their response. */
const listeners = new AsyncLocalStorage<() => void>();

/** Runs a request. @param onReplay called when its idempotency key belongs to an equal earlier request */
export const watchReplays = (onReplay: () => void, work: () => void): void => listeners.run(onReplay, work);

/** Says that the running request repeats an earlier one. */
export const noteReplay = (): void => listeners.getStore()?.();
