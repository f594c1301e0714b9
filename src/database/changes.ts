import { and, asc, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import type { CallerLabels, Enhancement, Labelled, Upload } from '@burnish/contract';
import { toLabels, withoutLabels } from '../domain/upload/labels.ts';
import type { Database } from './database.ts';
import { onceBuilt } from './statement.ts';
import { changes } from './schema/changes.ts';
import { enhancements } from './schema/enhancements.ts';
import { uploads } from './schema/uploads.ts';

/**
 * Notifications on this channel carry the id of the upload. A change of an enhancement carries the id of its upload.
 */
export const CHANGES_CHANNEL = 'burnish_changes';

interface ChangeBase {
  uploadId: string;
  /** 1, 2, 3 … within the upload */
  seq: number;
  subjectId: string;
  revision: number;
  /** The workflow's description of the change; null for a change that no workflow wrote */
  sentence: string | null;
  at: string;
}

/** One applied projection of an upload or of one of its enhancements, with the state at that time. */
export type Change =
  | (ChangeBase & { subject: 'upload'; snapshot: Labelled<Upload> })
  | (ChangeBase & { subject: 'enhancement'; snapshot: Labelled<Enhancement> });

const MAX_CHANGES = 1_000;

const { uploadId, seq, subject, subjectId, revision, snapshot, sentence, at } = changes;

const since = onceBuilt((orm) =>
  orm
    .select({
      change: { uploadId, seq, subject, subjectId, revision, snapshot, sentence, at },
      ofUpload: { reference: uploads.reference, customMetadata: uploads.customMetadata },
      ofEnhancement: { reference: enhancements.reference, customMetadata: enhancements.customMetadata },
    })
    .from(changes)
    // Labels never change, so the feed does not repeat them.
    .leftJoin(uploads, eq(uploads.id, subjectId))
    .leftJoin(enhancements, eq(enhancements.id, subjectId))
    .where(
      and(
        eq(changes.accountId, sql.placeholder('accountId')),
        eq(uploadId, sql.placeholder('upload')),
        gt(seq, sql.placeholder('after')),
      ),
    )
    .orderBy(asc(seq))
    .limit(sql.placeholder('limit'))
    .prepare('changes_since'),
);

export type Changes = ReturnType<typeof createChanges>;

/**
 * The change feed of an upload. Sequence numbers come from the row of the upload, and each transaction holds the lock
 * of that row until it ends. Number 8 is therefore assigned only after number 7 is committed or rolled back. A reader
 * that continues after its last number misses nothing, even with concurrent writers.
 */
export function createChanges({ orm }: Database) {
  return {
    /** Changes after number `after`, in order, at most `limit` and never more than 1,000. */
    async listSince(accountId: string, upload: string, after: number, limit: number): Promise<Change[]> {
      const rows = await since(orm).execute({ accountId, upload, after, limit: Math.min(limit, MAX_CHANGES) });
      return rows.map(({ change, ofUpload, ofEnhancement }) => ({
        ...change,
        snapshot: { ...change.snapshot, ...toLabels(ofUpload ?? ofEnhancement ?? {}) },
      })) as Change[];
    },

    /**
     * Deletes changes before a time (ISO 8601) of deleted uploads; the records of the uploads remain.
     * @returns the number of changes
     */
    async purge(before: string): Promise<number> {
      const deleted = orm.select({ id: uploads.id }).from(uploads).where(eq(uploads.status, 'UPLOAD_DELETED'));
      const gone = orm.delete(changes).where(and(lt(at, before), inArray(uploadId, deleted)));
      return (await gone.returning({ seq })).length;
    },
  };
}

/** A record in the feed: without the caller's labels, which readers find at the record, and without its secret address. */
export function toSnapshot(record: Omit<Upload | Enhancement, keyof CallerLabels>): Record<string, unknown> {
  const { webhookUrl: _webhookUrl, ...shown } = withoutLabels(record) as Upload;
  return shown;
}
