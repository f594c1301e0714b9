import { and, asc, eq, gt, inArray, lt, sql, type SQL } from 'drizzle-orm';
import type { Enhancement } from '../domain/enhancement/enhancement.ts';
import { labelsOf, type Labelled, type Upload } from '../domain/upload/upload.ts';
import type { Database } from './database.ts';
import { changes } from './schema/changes.ts';
import { enhancements } from './schema/enhancements.ts';
import { uploads } from './schema/uploads.ts';

/** Notifications on this channel carry the id of the upload that changed, itself or one of its enhancements. */
export const CHANGES_CHANNEL = 'burnish_changes';

interface ChangeBase {
  uploadId: string;
  /** 1, 2, 3 … within the upload */
  seq: number;
  subjectId: string;
  revision: number;
  /** What happened, in the words of the workflow; null where another wrote the change */
  sentence: string | null;
  at: string;
}

/** One applied projection of an upload or of one of its enhancements, as it stood then. */
export type Change =
  | (ChangeBase & { subject: 'upload'; snapshot: Labelled<Upload> })
  | (ChangeBase & { subject: 'enhancement'; snapshot: Labelled<Enhancement> });

const MAX_CHANGES = 1_000;

export type Changes = ReturnType<typeof createChanges>;

/**
 * The feed of what happened to an upload. Its numbers are drawn from the upload's own row, whose lock is held until the
 * transaction ends: number 8 is not given out before 7 can be read or is given up, so a reader that goes on after the
 * last number it saw misses nothing, however many write at once.
 */
export function createChanges({ orm }: Database) {
  const { uploadId, seq, subject, subjectId, revision, snapshot, sentence, at } = changes;
  return {
    /** Changes after number `after`, in order, at most `limit` and never more than 1,000. */
    async listSince(accountId: string, upload: string, after: number, limit: number): Promise<Change[]> {
      const rows = await orm
        .select({
          change: { uploadId, seq, subject, subjectId, revision, snapshot, sentence, at },
          ofUpload: { reference: uploads.reference, customMetadata: uploads.customMetadata },
          ofEnhancement: { reference: enhancements.reference, customMetadata: enhancements.customMetadata },
        })
        .from(changes)
        // Labels never change, so the feed does not repeat them.
        .leftJoin(uploads, eq(uploads.id, subjectId))
        .leftJoin(enhancements, eq(enhancements.id, subjectId))
        .where(and(eq(changes.accountId, accountId), eq(uploadId, upload), gt(seq, after)))
        .orderBy(asc(seq))
        .limit(Math.min(limit, MAX_CHANGES));
      return rows.map(({ change, ofUpload, ofEnhancement }) => ({
        ...change,
        snapshot: { ...change.snapshot, ...labelsOf(ofUpload ?? ofEnhancement ?? {}) },
      })) as Change[];
    },

    /**
     * Drops what happened before a moment (ISO 8601) to uploads that have been deleted since; their records stay.
     * @returns how many changes
     */
    async purge(before: string): Promise<number> {
      const deleted = orm.select({ id: uploads.id }).from(uploads).where(eq(uploads.status, 'UPLOAD_DELETED'));
      const gone = orm.delete(changes).where(and(lt(at, before), inArray(uploadId, deleted)));
      return (await gone.returning({ seq })).length;
    },
  };
}

/**
 * One statement that applies a projection, appends it to the feed and notifies: one round trip, all or nothing. It
 * answers one row when the projection was applied and none when a newer one was there.
 * @param applied a common table expression named `applied` that yields `upload_id` and `change_seq`
 * @param sentence what happened, for the timeline
 */
export function applyAndAppend(
  applied: SQL,
  subject: Change['subject'],
  record: Upload | Enhancement,
  sentence: string | null,
): SQL {
  return sql`with ${applied}, appended as (
    insert into ${changes} (upload_id, seq, account_id, subject, subject_id, revision, snapshot, sentence)
    select upload_id, change_seq, ${record.accountId}::text, ${subject}::text, ${record.id}::text,
      ${record.revision}::integer, ${JSON.stringify(record)}::jsonb, ${sentence}::text
    from applied returning upload_id
  ) select pg_notify(${CHANGES_CHANNEL}, upload_id) from appended`;
}
