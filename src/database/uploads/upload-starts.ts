import { eq, getTableColumns, lt, and, inArray, notInArray, sql } from 'drizzle-orm';
import type { Enhancement, Labelled, Upload } from '@burnish/contract';
import type { Database } from '../database.ts';
import { idempotencyKeys } from '../schema/requests.ts';
import type { UploadInput } from '../../domain/temporal/workflow-interface.ts';
import { withinStorage } from '../accounts/account-storage.ts';
import type { OpenWork } from '../accounts/usage.ts';
import { CHANGES_CHANNEL, toSnapshot } from '../changes.ts';
import { columnNames, recordColumns, statement, toRows } from '../statement.ts';
import { type IdempotencyClaim, KEY_LIFETIME_MS, toStoredKey } from './idempotency-keys.ts';
import { changes } from '../schema/changes.ts';
import { destinationUrls } from '../schema/destination-urls.ts';
import { enhancements, OPEN_ENHANCEMENTS } from '../schema/enhancements.ts';
import { uploadPasswords } from '../schema/upload-passwords.ts';
import { uploadStarts } from '../schema/upload-starts.ts';
import { uploads } from '../schema/uploads.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import { sealUpload } from './uploads.ts';

/** Maximum number of rows of one sweep. */
const BATCH = 500;

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
  /** The API key that orders them; null for a workflow */
  keyId: string | null;
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
const UPLOAD = getTableColumns(uploads);
const ENHANCEMENT = recordColumns(enhancements);
const START = recordColumns(uploadStarts);
const PASSWORD = recordColumns(uploadPasswords);
const URL = recordColumns(destinationUrls);
const KEY = recordColumns(idempotencyKeys);

const BEGIN = statement<OpenWork & { fits: boolean; written: boolean }>(
  'upload_start',
  `
  with open as (
    select
      (
        select count(*)::integer from (
          select from enhancements where account_id = :accountId::text and status in ${OPEN_ENHANCEMENTS} limit :limit
        ) as open
      ) as enhancements,
      (
        select count(*)::integer from (
          select from uploads
          where account_id = :accountId::text and status in ('UPLOAD_PENDING', 'UPLOAD_PROCESSING') limit :limit
        ) as open
      ) as uploads,
      coalesce((select bytes from account_storage where account_id = :accountId::text), 0)::float8 as "storedBytes"
  ), fitting as (
    select from open
    where uploads < :limit::integer
      and (:wanted::integer = 0 or enhancements + :wanted::integer <= :limit::integer)
      and "storedBytes" + :bytes::bigint <= :bound::bigint
  ),

  -- The records, and their first changes in the feed
  written as (
    insert into uploads (${columnNames(UPLOAD)})
    select ${columnNames(UPLOAD)} from jsonb_populate_recordset(null::uploads, :upload::jsonb)
    where exists (select from fitting)
    on conflict do nothing
    returning id, account_id
  ), appended as (
    insert into changes (upload_id, seq, account_id, subject, subject_id, revision, snapshot, sentence)
    select written.id, row.seq, account_id, row.subject, row.id, row.revision, row.snapshot, null
    from written, jsonb_to_recordset(:feed::jsonb)
      as row(seq integer, subject text, id text, revision integer, snapshot jsonb)
  ), ordered as (
    insert into enhancements (${columnNames(ENHANCEMENT)})
    select ${columnNames(ENHANCEMENT)} from jsonb_populate_recordset(null::enhancements, :ordered::jsonb)
    where exists (select from fitting)
    on conflict do nothing
  ),

  -- What the start of the workflow needs
  noted as (
    insert into upload_starts (${columnNames(START)})
    select ${columnNames(START)} from jsonb_populate_recordset(null::upload_starts, :start::jsonb)
    where exists (select from fitting)
    on conflict (upload_id) do update set refused = false
  ),
  -- Equal requests share one upload; the password of the first one is kept.
  secret as (
    insert into upload_passwords (${columnNames(PASSWORD)})
    select ${columnNames(PASSWORD)} from jsonb_populate_recordset(null::upload_passwords, :password::jsonb)
    where exists (select from fitting)
    on conflict do nothing
  ), sent as (
    insert into destination_urls (${columnNames(URL)})
    select ${columnNames(URL)} from jsonb_populate_recordset(null::destination_urls, :urls::jsonb)
    where exists (select from fitting)
    on conflict do nothing
  ), claimed as (
    insert into idempotency_keys (${columnNames(KEY)})
    select ${columnNames(KEY)} from jsonb_populate_recordset(null::idempotency_keys, :claim::jsonb)
    where exists (select from fitting)
    on conflict do nothing
  ),

  -- The staged file belongs to the upload from now on.
  owned as (
    delete from staged_files
    where upload_id = :uploadId and object_key = :objectKey::text and exists (select from fitting)
  )

  select open.*, exists (select from fitting) as fits,
    -- Readers of the feed are notified.
    (select count(pg_notify('${CHANGES_CHANNEL}', id)) from written) > 0 as written
  from open`,
);

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
      const {
        upload,
        enhancements: ordered,
        keyId,
        input,
        claim,
        room,
        expectedBytes = null,
        password,
        urls = [],
      } = start;
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
        upload: toRows(UPLOAD, [{ ...sealUpload(vault, upload), expectedBytes, changeSeq: feed.length }]),
        ordered: toRows(
          ENHANCEMENT,
          ordered.map((each) => ({ ...each, keyId })),
        ),
        start: toRows(START, [
          {
            ...{ uploadId: upload.id, accountId: upload.accountId, createdAt: at },
            input: vault.seal(JSON.stringify(input), startAad(upload.id)),
          },
        ]),
        password: toRows(PASSWORD, password === undefined ? [] : [password]),
        urls: toRows(URL, urls),
        claim: toRows(
          KEY,
          claim === null
            ? []
            : [{ ...claim, key: toStoredKey(claim), expiresAt: new Date(now() + KEY_LIFETIME_MS).toISOString() }],
        ),
      };
      const [row] = await withinStorage(BEGIN(orm, values));
      const { fits, written, ...open } = row!;
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
