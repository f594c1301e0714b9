import { createHash } from 'node:crypto';
import { Failure } from '../../domain/failures.ts';
import type { IdempotencyKeys } from '../../database/uploads/idempotency-keys.ts';
import type { IdempotencyKey } from './command-types.ts';

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
 * @throws Failure IDEMPOTENCY_KEY_REUSED when the key stands for another request
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

/** The refusal of a key that stands for another request. */
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
