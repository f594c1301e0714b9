import { Failure, type AuditAction, type AuditDetails } from '@burnish/contract';
import type { AccountRecords, AccountChanges } from '../../database/accounts/account-changes.ts';
import { toActor, type Caller, type IdempotencyKey } from './command-types.ts';
import { fingerprint, keyUsedForAnotherRequest, noteReplay } from './idempotency.ts';

export interface AccountChange<T> {
  operation: string;
  /** The request; a repetition with the same key must be equal to it */
  request: unknown;
  idempotencyKey: IdempotencyKey;
  /** Entry of the audit log, without its actor, origin and time; contains no secrets */
  audit: { action: AuditAction; details?: Partial<AuditDetails> };
  change: (records: AccountRecords) => Promise<{ subjectId: string; value: T }>;
}

/**
 * Changes the account's own records, once for each idempotency key. One transaction writes the change, the key and
 * the entry of the audit log.
 * @returns the value, or the id of the record that an equal earlier request changed
 * @throws Failure IDEMPOTENCY_KEY_REUSED when the key belongs to another request; errors of `change`
 */
export async function changeAccount<T>(
  { accountChanges }: { accountChanges: AccountChanges },
  caller: Caller,
  { operation, request, idempotencyKey: key, audit, change }: AccountChange<T>,
): Promise<{ value: T } | { repeated: string }> {
  const { id: accountId } = caller.account;
  const claim = key === null ? null : { accountId, key, operation, fingerprint: fingerprint(request) };
  const result = await accountChanges.carryOut(claim, async (records) => {
    const made = await change(records);
    const subjectId = made.subjectId === accountId ? null : made.subjectId;
    await records.audit.record({ ...toActor(caller), ...audit, accountId, subjectId });
    return made;
  });
  if (result.outcome === 'different') throw keyUsedForAnotherRequest();
  if (result.outcome === 'new') return { value: result.value };
  noteReplay();
  return { repeated: result.subjectId };
}

/**
 * The record of an equal earlier request. @throws Failure NOT_FOUND if it has since been deleted; it is not created
 * again
 */
export function requireEarlier<T>(record: T | undefined): T {
  if (record !== undefined) return record;
  const fault = 'The record that was created with this Idempotency-Key has been deleted.';
  throw new Failure('NOT_FOUND', { detail: `${fault} Use a new key to create another.` });
}
