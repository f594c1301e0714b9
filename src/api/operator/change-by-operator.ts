import type { AuditAction, AuditActor, AuditDetails } from '@burnish/contract';
import type { AccountRecords, AccountChanges } from '../../database/accounts/account-changes.ts';

export interface OperatorChange<T> {
  /** Null for a change of the instance */
  accountId: string | null;
  /** For the audit log. Absent: nothing was changed */
  action?: AuditAction;
  subjectId?: string;
  details?: AuditDetails;
  value: T;
}

/** Carries out a change of the operator and writes its entry of the audit log, in one transaction. */
export async function changeByOperator<T>(
  { accountChanges }: { accountChanges: AccountChanges },
  by: AuditActor,
  change: (records: AccountRecords) => Promise<OperatorChange<T>>,
): Promise<T> {
  const result = await accountChanges.carryOut(null, async (records) => {
    const { accountId, action, value, subjectId = null, details = {} } = await change(records);
    if (action !== undefined) await records.audit.record({ ...by, accountId, action, subjectId, details });
    return { subjectId: '', value };
  });
  if (result.outcome !== 'new') throw new Error('A change without a key cannot be a repetition.');
  return result.value;
}
