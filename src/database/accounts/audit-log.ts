import { and, eq, getTableColumns, gte, inArray, isNull, lt } from 'drizzle-orm';
import {
  BURNISH,
  type AuditAction,
  type AuditActor,
  type AuditDetails,
  type AuditEntry,
  type Enhancement,
  type Upload,
} from '@burnish/contract';
import type { Database, Orm } from '../database.ts';
import { newestFirst, rowsToAskFor, seqCursor, toPage, type Page, type PageRequest } from '../page.ts';
import { apiKeys } from '../schema/accounts.ts';
import { auditEntries } from '../schema/audit.ts';

export interface NewAuditEntry extends AuditActor {
  /** Null for an entry of the instance */
  accountId: string | null;
  action: AuditAction;
  subjectId: string | null;
  /** Never a secret; undefined facts are left out */
  details?: Partial<AuditDetails>;
  /** The action happens only once, so a second entry with this action and subject would be a duplicate */
  once?: boolean;
}

export interface AuditRequest extends PageRequest {
  action?: AuditAction | undefined;
  keyId?: string | undefined;
  subjectId?: string | undefined;
  /** ISO 8601, inclusive */
  since?: string | undefined;
  /** ISO 8601, exclusive */
  until?: string | undefined;
}

const onceKey = (action: AuditAction, subjectId: string | null): string => `${action} ${subjectId}`;

export type AuditLog = ReturnType<typeof createAuditLog>;

/** Actions with their actor, origin and time. Entries are only appended: the database refuses updates and deletes. */
export function createAuditLog({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    async record({ once = false, details = {}, ...entry }: NewAuditEntry): Promise<void> {
      await orm
        .insert(auditEntries)
        .values({
          ...entry,
          details: details as AuditDetails,
          at: new Date(now()).toISOString(),
          once: once ? onceKey(entry.action, entry.subjectId) : null,
        })
        .onConflictDoNothing({ target: [auditEntries.accountId, auditEntries.once] });
    },

    async subjectsOf(accountId: string, action: AuditAction, subjects: readonly string[]): Promise<string[]> {
      const keys = subjects.map((subject) => onceKey(action, subject));
      const rows = await orm
        .select({ subjectId: auditEntries.subjectId })
        .from(auditEntries)
        .where(and(eq(auditEntries.accountId, accountId), inArray(auditEntries.once, keys)));
      return rows.flatMap(({ subjectId }) => subjectId ?? []);
    },

    /**
     * Entries, newest first. @param accountId null: entries of the instance @throws Failure BAD_USER_INPUT for an
     * invalid limit or cursor
     */
    async list(accountId: string | null, request: AuditRequest): Promise<Page<AuditEntry>> {
      const limit = rowsToAskFor(request);
      const after = seqCursor.decode(request.after)?.[0];
      const { accountId: _account, once: _once, ...shown } = getTableColumns(auditEntries);
      const { action, keyId, subjectId, since, until } = request;
      const rows = await orm
        .select({ ...shown, keyName: apiKeys.name })
        .from(auditEntries)
        .leftJoin(apiKeys, eq(apiKeys.id, auditEntries.keyId))
        .where(
          and(
            accountId === null ? isNull(auditEntries.accountId) : eq(auditEntries.accountId, accountId),
            after === undefined ? undefined : lt(auditEntries.seq, after),
            action === undefined ? undefined : eq(auditEntries.action, action),
            keyId === undefined ? undefined : eq(auditEntries.keyId, keyId),
            subjectId === undefined ? undefined : eq(auditEntries.subjectId, subjectId),
            since === undefined ? undefined : gte(auditEntries.at, since),
            until === undefined ? undefined : lt(auditEntries.at, until),
          ),
        )
        .orderBy(...newestFirst(auditEntries.seq))
        .limit(limit);
      return toPage(rows, request, ({ seq }) => seqCursor.encode([seq]));
    },
  };
}

/** Whether a record has just failed because storage has lost or damaged the original. */
export function hasLostOriginal({ errorCode, status }: Upload | Enhancement): boolean {
  return (errorCode === 'ORIGINAL_MISSING' || errorCode === 'ORIGINAL_DAMAGED') && status !== 'UPLOAD_DELETED';
}

/** Entry of the audit log of the instance about a record whose original is lost or damaged. */
export function lostOriginalEntry(record: Upload | Enhancement): NewAuditEntry {
  const { accountId, id } = record;
  const action = record.errorCode === 'ORIGINAL_DAMAGED' ? 'upload.original_damaged' : 'upload.original_missing';
  const [subjectId, details] =
    'uploadId' in record ? [record.uploadId, { accountId, enhancementId: id }] : [id, { accountId }];
  return { ...BURNISH, accountId: null, action, subjectId, details };
}

/**
 * Adds an entry for the operator to the audit log of the instance. The caller runs it in the transaction that applies
 * the record, so that there is one entry for each failed record.
 */
export async function noteLostOriginal(tx: Orm, record: Upload | Enhancement, now?: () => number): Promise<void> {
  if (hasLostOriginal(record)) await createAuditLog({ orm: tx }, now).record(lostOriginalEntry(record));
}
