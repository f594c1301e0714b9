import { BURNISH } from '../../domain/accounts/audit.ts';
import type { Enhancement } from '../../domain/enhancement/enhancement.ts';
import type { Upload } from '../../domain/upload/upload.ts';
import { createAuditLog, type NewAuditEntry } from '../accounts/audit-log.ts';
import type { Orm } from '../database.ts';

/** Whether a record has just failed because storage has lost the original. */
export function isOriginalMissing({ errorCode, status }: Upload | Enhancement): boolean {
  return errorCode === 'ORIGINAL_MISSING' && status !== 'UPLOAD_DELETED';
}

/** Entry of the audit log of the instance about a record that lost its original. */
export function missingOriginalEntry(record: Upload | Enhancement): NewAuditEntry {
  const { accountId, id } = record;
  const [subjectId, details] =
    'uploadId' in record ? [record.uploadId, { accountId, enhancementId: id }] : [id, { accountId }];
  return { ...BURNISH, accountId: null, action: 'upload.original_missing', subjectId, details };
}

/**
 * Adds an entry for the operator to the audit log of the instance. The caller runs it in the transaction that applies
 * the record, so that there is one entry for each failed record.
 */
export async function noteMissingOriginal(tx: Orm, record: Upload | Enhancement, now?: () => number): Promise<void> {
  if (isOriginalMissing(record)) await createAuditLog({ orm: tx }, now).record(missingOriginalEntry(record));
}
