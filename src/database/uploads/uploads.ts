import { and, asc, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { RecordedEnhancement, Labelled, Upload, UploadStatus } from '@burnish/contract';
import { afterTime, newestFirst, rowsToAskFor, timeCursor, toPage, type Page, type PageRequest } from '../page.ts';
import { holdsText, matches, type ListFilter } from '../list-filter.ts';
import { onceBuilt } from '../statement.ts';
import { writeStep } from '../step.ts';
import type { Database } from '../database.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import { createSecretAddresses } from '../secret-addresses.ts';
import { SHOWN_ENHANCEMENT } from './enhancements.ts';
import { enhancements } from '../schema/enhancements.ts';
import { uploads } from '../schema/uploads.ts';

export interface UploadPageRequest extends PageRequest, ListFilter {
  status?: UploadStatus;
  /** Only uploads with this text in the file name, ignoring case */
  search?: string;
}

/** Maximum number of enhancements read with one upload; no upload has more. */
const MAX_ENHANCEMENTS = 1_000;

/** All columns that are part of the record. */
const {
  changeSeq: _changeSeq,
  expectedBytes: _expectedBytes,
  erasedAt: _erasedAt,
  ...RECORD
} = getTableColumns(uploads);

type StoredUpload = Omit<typeof uploads.$inferSelect, 'changeSeq' | 'expectedBytes' | 'erasedAt'>;

export type Uploads = ReturnType<typeof createUploads>;

const isNamed = and(eq(uploads.accountId, sql.placeholder('accountId')), eq(uploads.id, sql.placeholder('id')));

const byId = onceBuilt((orm) => orm.select(RECORD).from(uploads).where(isNamed).prepare('upload_by_id'));

const byIdWithEnhancements = onceBuilt((orm) =>
  orm
    .select({ upload: RECORD, enhancement: SHOWN_ENHANCEMENT })
    .from(uploads)
    .leftJoin(enhancements, and(eq(enhancements.uploadId, uploads.id), eq(enhancements.accountId, uploads.accountId)))
    .where(isNamed)
    .orderBy(asc(enhancements.createdAt), asc(enhancements.id))
    .limit(MAX_ENHANCEMENTS)
    .prepare('upload_with_enhancements'),
);

/** An upload as its row holds it. */
export function sealUpload<Record extends Pick<Upload, 'accountId' | 'webhookUrl'>>(vault: Vault, upload: Record) {
  const { accountId, webhookUrl } = upload;
  const { seal } = createSecretAddresses(vault);
  return { ...upload, webhookUrl: webhookUrl === null ? null : seal(accountId, webhookUrl) };
}

export function createUploads({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  const { openIn } = createSecretAddresses(vault);
  const opened = (row: StoredUpload): Labelled<Upload> => openIn(row, 'webhookUrl');
  return {
    /**
     * Writes the state of an upload unless the record has a newer revision: a late retry changes nothing. A later stage
     * replaces each earlier one, even if the workflow is older than the record. The reverse never happens, and nothing
     * replaces a tombstone.
     * @param sentence description of the change for the timeline
     * @returns whether it was applied
     */
    async project(upload: Upload, sentence: string | null = null): Promise<boolean> {
      const { accountId } = upload;
      return (await writeStep(orm, { accountId, upload: sealUpload(vault, upload), sentence }, now())).applied;
    },

    async get(accountId: string, id: string): Promise<Labelled<Upload> | undefined> {
      const [upload] = await byId(orm).execute({ accountId, id });
      return upload && opened(upload);
    },

    /**
     * An upload with its enhancements in one query, for polling callers. Enhancements are oldest first, at most
     * 1,000.
     */
    async getWithEnhancements(
      accountId: string,
      id: string,
    ): Promise<{ upload: Labelled<Upload>; enhancements: RecordedEnhancement[] } | undefined> {
      const rows = await byIdWithEnhancements(orm).execute({ accountId, id });
      const upload = rows[0]?.upload;
      return upload && { upload: opened(upload), enhancements: rows.flatMap(({ enhancement }) => enhancement ?? []) };
    },

    async getMany(accountId: string, ids: readonly string[]): Promise<Map<string, Labelled<Upload>>> {
      const rows = await orm
        .select(RECORD)
        .from(uploads)
        .where(and(eq(uploads.accountId, accountId), inArray(uploads.id, [...ids])));
      return new Map(rows.map((upload) => [upload.id, opened(upload)]));
    },

    /** An upload of any account. For internal use, never for a caller's id. */
    async find(id: string): Promise<Labelled<Upload> | undefined> {
      const [upload] = await orm.select(RECORD).from(uploads).where(eq(uploads.id, id));
      return upload && opened(upload);
    },

    /**
     * Uploads, newest first.
     * @throws Failure BAD_USER_INPUT for an invalid limit or cursor
     */
    async list(accountId: string, request: UploadPageRequest): Promise<Page<Labelled<Upload>>> {
      const limit = rowsToAskFor(request);
      const after = timeCursor.decode(request.after);
      const rows = await orm
        .select(RECORD)
        .from(uploads)
        .where(
          and(
            eq(uploads.accountId, accountId),
            request.status && eq(uploads.status, request.status),
            request.search === undefined ? undefined : holdsText(uploads.originalFilename, request.search),
            matches(request, uploads),
            afterTime(uploads.createdAt, uploads.id, after),
          ),
        )
        .orderBy(...newestFirst(uploads.createdAt, uploads.id))
        .limit(limit);
      return toPage(rows.map(opened), request, (last) => timeCursor.encode([last.createdAt, last.id]));
    },
  };
}
