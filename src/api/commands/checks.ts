import { SCOPES, sortedScopes, type KeyPowers, type Scope, Failure, isId, type IdPrefix } from '@burnish/contract';

export interface PowersRequest {
  scopes?: readonly Scope[] | undefined;
  /** ISO 8601 with a zone; null: never */
  expiresAt?: string | null | undefined;
}

/** The operator's powers: all scopes, without expiry. */
export const ALL_POWERS: KeyPowers = { scopes: [...SCOPES], expiresAt: null };

/**
 * The powers of a new key, which never exceed those of its creator.
 * @param nowMs milliseconds since the epoch
 * @throws Failure FORBIDDEN with field `scopes` or `expiresAt`; BAD_USER_INPUT for a time in the past, or no scope
 */
export function powersFor(maker: KeyPowers, wanted: PowersRequest, nowMs: number): KeyPowers {
  const scopes = sortedScopes(wanted.scopes ?? maker.scopes);
  if (scopes.length === 0)
    throw new Failure('BAD_USER_INPUT', {
      field: 'scopes',
      detail: `The list has no scope. Send at least one of ${SCOPES.join(', ')}.`,
    });
  const missing = scopes.filter((scope) => !maker.scopes.includes(scope));
  if (missing.length > 0) {
    const detail = `A key cannot grant scopes that it lacks: ${missing.join(', ')}. Its own scopes are: ${maker.scopes.join(', ')}.`;
    throw new Failure('FORBIDDEN', { field: 'scopes', detail });
  }
  return { scopes, expiresAt: expiryFor(maker.expiresAt, wanted.expiresAt, nowMs) };
}

/**
 * Checks that a key has the scope of an operation, or of a field of its body.
 * @throws Failure FORBIDDEN, with the field
 */
export function assertScope({ scopes }: Pick<KeyPowers, 'scopes'>, scope: Scope, field?: string): void {
  if (scopes.includes(scope)) return;
  const needing = field === undefined ? 'This operation' : `The field ${field}`;
  const detail = `${needing} needs the scope ${scope}. The key of the request has the scopes: ${scopes.join(', ')}.`;
  throw new Failure('FORBIDDEN', { detail, ...(field !== undefined && { field }) });
}

function expiryFor(makers: string | null, wanted: string | null | undefined, nowMs: number): string | null {
  if (wanted === undefined) return makers;
  const until = wanted === null ? null : new Date(wanted);
  if (until !== null && !(until.getTime() > nowMs)) {
    throw new Failure('BAD_USER_INPUT', {
      field: 'expiresAt',
      detail: 'The time in expiresAt has passed. Send a time in the future.',
    });
  }
  if (makers !== null && (until === null || until.getTime() > Date.parse(makers))) {
    const detail = `A new key cannot expire later than the requesting key, which expires at ${makers}. Choose an earlier time.`;
    throw new Failure('FORBIDDEN', { field: 'expiresAt', detail });
  }
  return until === null ? null : until.toISOString();
}

/** @throws Failure NOT_FOUND, the same for an unknown record and for one of another account */
export function requireRecord<T>(record: T | undefined): T {
  if (record === undefined) throw new Failure('NOT_FOUND');
  return record;
}

/**
 * Reads a record by a caller's id. A malformed id does not reach the database.
 * @throws Failure NOT_FOUND
 */
export async function requireById<T>(
  prefix: IdPrefix,
  id: string,
  read: (id: string) => Promise<T | undefined>,
): Promise<T> {
  return requireRecord(isId(prefix, id) ? await read(id) : undefined);
}
