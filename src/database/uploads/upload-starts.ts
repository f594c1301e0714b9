import { asc, eq, lt, and, inArray, notInArray, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { stagedFiles, idempotencyKeys } from '../schema/requests.ts';
import type { Enhancement } from '../../domain/enhancement/enhancement.ts';
import { withoutLabels, type Labelled, type Upload } from '../../domain/upload/upload.ts';
import type { UploadInput } from '../../domain/temporal/workflow-interface.ts';
import { CHANGES_CHANNEL } from '../changes.ts';
import { type IdempotencyClaim, KEY_LIFETIME_MS } from './idempotency-keys.ts';
import { changes } from '../schema/changes.ts';
import { enhancements } from '../schema/enhancements.ts';
import { uploadPasswords } from '../schema/upload-passwords.ts';
import { uploadStarts } from '../schema/upload-starts.ts';
import { uploads } from '../schema/uploads.ts';

export interface StagedFile {
  uploadId: string;
  objectKey: string;
  createdAt: string;
}

/** A sweep takes this many at a time. */
const BATCH = 500;

export type StagedFiles = ReturnType<typeof createStagedFiles>;

/**
 * Bytes that are streamed in before the workflow that will own them exists. A row is written before they are complete and
 * removed once the workflow has started; what a crash leaves in between is found here and swept.
 */
export function createStagedFiles({ orm }: Database, now: () => number = Date.now) {
  return {
    /**
     * Again for the same upload: the row is renewed.
     * @param keepMs milliseconds for which it is younger than all others, for bytes that may be taken much later
     */
    async add(uploadId: string, objectKey: string, keepMs = 0): Promise<void> {
      const values = { objectKey, createdAt: new Date(now() + keepMs).toISOString() };
      await orm
        .insert(stagedFiles)
        .values({ uploadId, ...values })
        .onConflictDoUpdate({ target: stagedFiles.uploadId, set: values });
    },

    async remove(uploadId: string): Promise<void> {
      await orm.delete(stagedFiles).where(eq(stagedFiles.uploadId, uploadId));
    },

    /** @param ageMs milliseconds since the row was written; oldest first, at most 500 */
    olderThan(ageMs: number): Promise<StagedFile[]> {
      return orm
        .select()
        .from(stagedFiles)
        .where(lt(stagedFiles.createdAt, new Date(now() - ageMs).toISOString()))
        .orderBy(asc(stagedFiles.createdAt))
        .limit(BATCH);
    },
  };
}

/** What a start is made from, besides the record. */
export type StartInput = Omit<UploadInput, 'initial'>;

export interface UploadStart {
  upload: Labelled<Upload>;
  /** Those that were ordered with it, in order */
  enhancements: readonly Labelled<Enhancement>[];
  input: StartInput;
  /** The key that a repetition of the request would come with, where it is not claimed yet */
  claim: IdempotencyClaim | null;
  /** Of the PDF, where the caller gave one */
  password?: typeof uploadPasswords.$inferInsert | undefined;
}

export type UploadStarts = ReturnType<typeof createUploadStarts>;

/**
 * Starts of uploads. The records stand before the workflow is started, with a note of what it is to be started with: whatever
 * is killed in between, nothing runs that cannot be read, and nothing that was promised is forgotten.
 */
export function createUploadStarts({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /**
     * Writes the records of an upload and of its enhancements, their changes, the note and the idempotency key in one
     * statement, and ends the note of its staged file, whose owner the upload is from now on. Nothing of it is written again.
     * @returns false where an equal request has written the record of the upload first
     */
    async record({ upload, enhancements: ordered, input, claim, password }: UploadStart): Promise<boolean> {
      const at = new Date(now()).toISOString();
      const upserted = orm
        .insert(uploads)
        .values({ ...upload, changeSeq: 1 + ordered.length })
        .onConflictDoNothing()
        .returning({ id: uploads.id });
      const feed = [upload, ...ordered].map((record, index) => ({
        seq: index + 1,
        subject: index === 0 ? 'upload' : 'enhancement',
        id: record.id,
        revision: record.revision,
        snapshot: withoutLabels(record),
      }));
      const noted = orm
        .insert(uploadStarts)
        .values({ uploadId: upload.id, accountId: upload.accountId, input, createdAt: at })
        .onConflictDoUpdate({ target: uploadStarts.uploadId, set: { refused: false } });
      const parts = [
        sql`written as ${upserted}`,
        sql`appended as (
          insert into ${changes} (upload_id, seq, account_id, subject, subject_id, revision, snapshot, sentence)
          select written.id, row.seq, ${upload.accountId}::text, row.subject, row.id, row.revision, row.snapshot, null
          from written, jsonb_to_recordset(${JSON.stringify(feed)}::jsonb)
            as row(seq integer, subject text, id text, revision integer, snapshot jsonb)
          returning upload_id
        )`,
        sql`noted as ${noted}`,
        sql`owned as (delete from ${stagedFiles} where upload_id = ${upload.id} and object_key = ${upload.objectKey}::text)`,
      ];
      if (ordered.length > 0) {
        const insert = orm
          .insert(enhancements)
          .values([...ordered])
          .onConflictDoNothing();
        parts.push(sql`ordered as ${insert}`);
      }
      if (password !== undefined) {
        // Of equal requests, the first one's serves: they have made one upload.
        parts.push(sql`secret as ${orm.insert(uploadPasswords).values(password).onConflictDoNothing()}`);
      }
      if (claim !== null) {
        const expiresAt = new Date(now() + KEY_LIFETIME_MS).toISOString();
        parts.push(
          sql`claimed as ${orm
            .insert(idempotencyKeys)
            .values({ ...claim, expiresAt })
            .onConflictDoNothing()}`,
        );
      }
      const statement = sql`with ${sql.join(parts, sql`, `)} select pg_notify(${CHANGES_CHANNEL}, id) from written`;
      return (await orm.execute(statement)).rows.length > 0;
    },

    /** Records that the caller got a failure, or, with false, that the caller asks again. @returns the input of the start; undefined without a record */
    async refuse(uploadId: string, refused: boolean): Promise<StartInput | undefined> {
      const [noted] = await orm
        .update(uploadStarts)
        .set({ refused })
        .where(eq(uploadStarts.uploadId, uploadId))
        .returning({ input: uploadStarts.input });
      return noted?.input;
    },

    /** What the starts of these uploads were made from, as far as it is known. */
    async inputs(uploadIds: readonly string[]): Promise<Map<string, StartInput>> {
      const rows = await orm
        .select({ uploadId: uploadStarts.uploadId, input: uploadStarts.input })
        .from(uploadStarts)
        .where(inArray(uploadStarts.uploadId, [...uploadIds]));
      return new Map(rows.map(({ uploadId, input }) => [uploadId, input]));
    },

    /** Uploads whose start was refused longer ago than this, in milliseconds; at most 500. */
    async refusedBefore(ageMs: number): Promise<string[]> {
      const rows = await orm
        .select({ uploadId: uploadStarts.uploadId })
        .from(uploadStarts)
        // A literal, so that the partial index serves
        .where(and(sql`refused`, lt(uploadStarts.createdAt, new Date(now() - ageMs).toISOString())))
        .limit(BATCH);
      return rows.map(({ uploadId }) => uploadId);
    },

    /** Takes back the records of a refused start that nothing has come of. @returns whether they were there */
    async withdraw(uploadId: string): Promise<boolean> {
      return orm.transaction(async (tx) => {
        const [note] = await tx
          .delete(uploadStarts)
          .where(and(eq(uploadStarts.uploadId, uploadId), sql`refused`))
          .returning({ uploadId: uploadStarts.uploadId });
        if (note === undefined) return false;
        const [untouched] = await tx
          .select({ id: uploads.id })
          .from(uploads)
          .where(and(eq(uploads.id, uploadId), eq(uploads.revision, 0)))
          .for('update');
        if (untouched === undefined) return false;
        await tx.delete(changes).where(eq(changes.uploadId, uploadId));
        await tx.delete(enhancements).where(eq(enhancements.uploadId, uploadId));
        await tx.delete(uploadPasswords).where(eq(uploadPasswords.uploadId, uploadId));
        await tx.delete(uploads).where(eq(uploads.id, uploadId));
        return true;
      });
    },

    /** Forgets what uploads that have their file, or have ended, were started with. @returns how many */
    async purge(): Promise<number> {
      const open = orm
        .select({ id: uploads.id })
        .from(uploads)
        .where(
          and(eq(uploads.id, uploadStarts.uploadId), inArray(uploads.status, ['UPLOAD_PENDING', 'UPLOAD_PROCESSING'])),
        );
      const gone = await orm
        .delete(uploadStarts)
        .where(
          and(
            notInArray(uploadStarts.uploadId, open),
            lt(uploadStarts.createdAt, new Date(now() - HOUR_MS).toISOString()),
          ),
        )
        .returning({ uploadId: uploadStarts.uploadId });
      return gone.length;
    },
  };
}

const HOUR_MS = 3_600_000;
