import { asc, eq, getTableColumns, lt, and, inArray, notInArray, sql, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Enhancement, Labelled, Upload } from '@burnish/contract';
import type { Database } from '../database.ts';
import { stagedFiles, idempotencyKeys } from '../schema/requests.ts';
import type { UploadInput } from '../../domain/temporal/workflow-interface.ts';
import { withinStorage } from '../accounts/account-storage.ts';
import { OPEN_WORK, type OpenWork } from '../accounts/usage.ts';
import { CHANGES_CHANNEL, toSnapshot } from '../changes.ts';
import { excluded, insertRows, onceBuilt, placeholders, prepareSql, toRows } from '../queries.ts';
import { type IdempotencyClaim, KEY_LIFETIME_MS, toStoredKey } from './idempotency-keys.ts';
import { changes } from '../schema/changes.ts';
import { destinationUrls } from '../schema/destination-urls.ts';
import { enhancements } from '../schema/enhancements.ts';
import { uploadPasswords } from '../schema/upload-passwords.ts';
import { uploadStarts } from '../schema/upload-starts.ts';
import { uploads } from '../schema/uploads.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import { sealUpload } from './uploads.ts';

export interface StagedFile {
  uploadId: string;
  objectKey: string;
  createdAt: string;
}

/** Maximum number of rows of one sweep. */
const BATCH = 500;

export type StagedFiles = ReturnType<typeof createStagedFiles>;

const staged = onceBuilt((orm) =>
  orm
    .insert(stagedFiles)
    .values(placeholders(getTableColumns(stagedFiles)))
    .onConflictDoUpdate({ target: stagedFiles.uploadId, set: excluded(stagedFiles, ['objectKey', 'createdAt']) })
    .prepare('staged_file'),
);

/**
 * Files received before the start of the workflow that will own them. A row is written before the file is complete
 * and deleted once the workflow has started. A sweep finds the files that a crash leaves behind.
 */
export function createStagedFiles({ orm }: Database, now: () => number = Date.now) {
  return {
    /**
     * Adds a row; a repetition for the same upload renews it.
     * @param keepMs milliseconds added to its time, for a file that may be claimed much later
     */
    async add(uploadId: string, objectKey: string, keepMs = 0): Promise<void> {
      const createdAt = new Date(now() + keepMs).toISOString();
      await staged(orm).execute({ uploadId, objectKey, createdAt });
    },

    async remove(uploadId: string): Promise<void> {
      await orm.delete(stagedFiles).where(eq(stagedFiles.uploadId, uploadId));
    },

    /** Rows older than an age, oldest first, at most 500. @param ageMs milliseconds since the row was written */
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

/** Input of a start, besides the record. */
export type StartInput = Omit<UploadInput, 'initial'>;

export const startAad = (uploadId: string): string => `upload_starts/${uploadId}/input`;

export interface RoomOfAccount {
  /** Enhancements that wait or run, and uploads that wait for their file or its inspection, each */
  jobs: number;
  storedBytes: number;
}

export interface UploadStart {
  upload: Labelled<Upload>;
  /** The enhancements of the same order, in order */
  enhancements: readonly Labelled<Enhancement>[];
  input: StartInput;
  claim: IdempotencyClaim | null;
  /** What the account may have at most */
  room: RoomOfAccount;
  /** Size of the file, if the start knows it */
  expectedBytes?: number | null;
  password?: typeof uploadPasswords.$inferInsert | undefined;
  urls?: readonly (typeof destinationUrls.$inferInsert)[];
}

/** `known`: an equal request wrote the records first. `refused`: the account has no room, and nothing is written. */
export type StartOutcome = { outcome: 'written' | 'known' } | { outcome: 'refused'; open: OpenWork };

export type UploadStarts = ReturnType<typeof createUploadStarts>;

/** All columns: the number of the last change is given too. */
const UPLOAD_COLUMNS = getTableColumns(uploads);

const started = onceBuilt((orm) => {
  const { placeholder } = sql;
  const whereItFits = sql`where exists (select from fitting)`;
  const insert = (table: PgTable, rows: string): SQL =>
    sql`${insertRows(table, rows)} ${whereItFits} on conflict do nothing`;
  return prepareSql(
    orm,
    'upload_start',
    sql`with open as (${OPEN_WORK}), fitting as (
        select from open
        where uploads < ${placeholder('limit')}::integer
          and (${placeholder('wanted')}::integer = 0
            or enhancements + ${placeholder('wanted')}::integer <= ${placeholder('limit')}::integer)
          and "storedBytes" + ${placeholder('bytes')}::bigint <= ${placeholder('bound')}::bigint
      ), written as (
        ${insertRows(uploads, 'upload', UPLOAD_COLUMNS)} ${whereItFits} on conflict do nothing returning id, account_id
      ), appended as (
        insert into ${changes} (upload_id, seq, account_id, subject, subject_id, revision, snapshot, sentence)
        select written.id, row.seq, account_id, row.subject, row.id, row.revision, row.snapshot, null
        from written, jsonb_to_recordset(${placeholder('feed')}::jsonb)
          as row(seq integer, subject text, id text, revision integer, snapshot jsonb)
      ), noted as (
        ${insertRows(uploadStarts, 'start')} ${whereItFits}
        on conflict (upload_id) do update set refused = false
      ), ordered as (${insert(enhancements, 'ordered')}), secret as (${insert(uploadPasswords, 'password')}),
      sent as (${insert(destinationUrls, 'urls')}), claimed as (${insert(idempotencyKeys, 'claim')}),
      owned as (
        delete from ${stagedFiles} where upload_id = ${placeholder('uploadId')}
          and object_key = ${placeholder('objectKey')}::text and exists (select from fitting)
      )
      select open.*, exists (select from fitting) as fits,
        (select count(pg_notify(${CHANGES_CHANNEL}, id)) from written) > 0 as written
      from open`,
  );
});

/**
 * Starts of uploads. The records and the input of the start are written before the workflow starts. After a crash,
 * every running workflow has its records, and every promised start can be resumed.
 */
export function createUploadStarts({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  const open = (uploadId: string, input: string): StartInput =>
    JSON.parse(vault.open(input, startAad(uploadId))) as StartInput;

  return {
    /**
     * Writes the records of an upload and of its enhancements, their changes, the start and the idempotency key in
     * one statement, if the account has room for them. It also deletes the row of the staged file, which belongs to the
     * upload from now on. A repetition writes nothing. Concurrent starts may exceed the number of jobs by their own number,
     * and never the stored bytes.
     * @throws Failure STORAGE_LIMIT when the file does not fit into the bound of the account; nothing is written
     */
    async record(start: UploadStart): Promise<StartOutcome> {
      const { upload, enhancements: ordered, input, claim, room, expectedBytes = null, password, urls = [] } = start;
      const at = new Date(now()).toISOString();
      const feed = [upload, ...ordered].map((record, index) => ({
        seq: index + 1,
        subject: index === 0 ? 'upload' : 'enhancement',
        id: record.id,
        revision: record.revision,
        snapshot: toSnapshot(record),
      }));
      const values = {
        accountId: upload.accountId,
        uploadId: upload.id,
        objectKey: upload.objectKey,
        wanted: ordered.length,
        bytes: expectedBytes ?? 1,
        limit: room.jobs,
        bound: room.storedBytes,
        feed: JSON.stringify(feed),
        upload: toRows(
          uploads,
          [{ ...sealUpload(vault, upload), expectedBytes, changeSeq: feed.length }],
          UPLOAD_COLUMNS,
        ),
        ordered: toRows(enhancements, ordered),
        start: toRows(uploadStarts, [
          {
            ...{ uploadId: upload.id, accountId: upload.accountId, createdAt: at },
            input: vault.seal(JSON.stringify(input), startAad(upload.id)),
          },
        ]),
        // Equal requests share one upload; the password of the first one is kept.
        password: toRows(uploadPasswords, password === undefined ? [] : [password]),
        urls: toRows(destinationUrls, urls),
        claim: toRows(
          idempotencyKeys,
          claim === null
            ? []
            : [{ ...claim, key: toStoredKey(claim), expiresAt: new Date(now() + KEY_LIFETIME_MS).toISOString() }],
        ),
      };
      const { rows } = await withinStorage(started(orm).execute(values));
      const { fits, written, ...open } = rows[0] as unknown as OpenWork & { fits: boolean; written: boolean };
      return fits ? { outcome: written ? 'written' : 'known' } : { outcome: 'refused', open };
    },

    /**
     * Marks a start as refused, or, with false, removes the mark for a repeated request. @returns the input of the
     * start; undefined without a record
     */
    async refuse(uploadId: string, refused: boolean): Promise<StartInput | undefined> {
      const [noted] = await orm
        .update(uploadStarts)
        .set({ refused })
        .where(eq(uploadStarts.uploadId, uploadId))
        .returning({ input: uploadStarts.input });
      return noted && open(uploadId, noted.input);
    },

    async find(uploadId: string): Promise<{ input: StartInput; refused: boolean } | undefined> {
      const { input, refused } = uploadStarts;
      const [noted] = await orm
        .select({ input, refused })
        .from(uploadStarts)
        .where(eq(uploadStarts.uploadId, uploadId));
      return noted && { ...noted, input: open(uploadId, noted.input) };
    },

    /** Uploads with a start refused longer ago than `ageMs` milliseconds; at most 500. */
    async refusedBefore(ageMs: number): Promise<string[]> {
      const rows = await orm
        .select({ uploadId: uploadStarts.uploadId })
        .from(uploadStarts)
        // A literal, so that PostgreSQL can use the partial index
        .where(and(sql`refused`, lt(uploadStarts.createdAt, new Date(now() - ageMs).toISOString())))
        .limit(BATCH);
      return rows.map(({ uploadId }) => uploadId);
    },

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
        const gone = await tx
          .delete(enhancements)
          .where(eq(enhancements.uploadId, uploadId))
          .returning({ id: enhancements.id });
        const ids = gone.map(({ id }) => id);
        await tx.delete(destinationUrls).where(inArray(destinationUrls.enhancementId, ids));
        await tx.delete(uploadPasswords).where(eq(uploadPasswords.uploadId, uploadId));
        await tx.delete(uploads).where(eq(uploads.id, uploadId));
        return true;
      });
    },

    /** Deletes the inputs of uploads that have their file or have ended. @returns their number */
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
