import { and, asc, desc, eq, getTableColumns, inArray, isNotNull, lt, lte, ne, sql } from 'drizzle-orm';
import {
  OPEN_ENHANCEMENT_STATUSES,
  type EngineReport,
  type Enhancement,
  type EnhancementResult,
  type EnhancementStatus,
  type RecordedEnhancement,
  type CallerLabels,
} from '@burnish/contract';
import { withoutLabels } from '../../domain/upload/labels.ts';
import type { Database } from '../database.ts';
import { afterTime, newestFirst, rowsToAskFor, timeCursor, toPage, type Page, type PageRequest } from '../page.ts';
import { matches, type ListFilter } from '../list-filter.ts';
import { enhancementLabels, enhancements } from '../schema/enhancements.ts';
import { uploads } from '../schema/uploads.ts';
import { listPaid } from './paid-work.ts';
import { onceBuilt } from '../statement.ts';
import { writeStep, type ReuseFacts } from '../step.ts';

export interface EnhancementPageRequest extends PageRequest, ListFilter {
  uploadId?: string;
  status?: EnhancementStatus;
}

export type FinishedEnhancement = Enhancement & { result: EnhancementResult; engine: EngineReport };

/** Upper bound, not a page size: no upload or account has more open enhancements at a time. */
const MAX_ROWS = 1_000;
/** Maximum per upload in lists over many uploads. */
const MAX_ROWS_PER_UPLOAD = 100;

const {
  keyId: _keyId,
  sourceSha256: _source,
  fingerprint: _fingerprint,
  engineVersion: _engine,
  ...COLUMNS
} = getTableColumns(enhancements);
export { COLUMNS as ENHANCEMENT_COLUMNS };

/** The columns of a record. A deleted upload takes the result with it: the record remains without a result. */
export const RECORD = {
  ...COLUMNS,
  result: sql<EnhancementResult | null>`case when (
    select ${uploads.status} from ${uploads} where ${uploads.id} = ${enhancements.uploadId}
  ) = 'UPLOAD_DELETED' then null else ${enhancements.result} end`
    .mapWith(enhancements.result)
    .as('result'),
};

/** The columns for callers. */
export const SHOWN_ENHANCEMENT = {
  ...RECORD,
  deletedAt: sql<
    string | null
  >`(select ${uploads.deletedAt} from ${uploads} where ${uploads.id} = ${enhancements.uploadId})`
    .mapWith(uploads.deletedAt)
    .as('deleted_at'),
};

export type Enhancements = ReturnType<typeof createEnhancements>;

const isNamed = and(
  eq(enhancements.accountId, sql.placeholder('accountId')),
  eq(enhancements.id, sql.placeholder('id')),
);

const byId = onceBuilt((orm) =>
  orm.select(SHOWN_ENHANCEMENT).from(enhancements).where(isNamed).prepare('enhancement_by_id'),
);

const reusable = onceBuilt((orm) =>
  orm
    .select(RECORD)
    .from(enhancements)
    .innerJoin(uploads, eq(uploads.id, enhancements.uploadId))
    .where(
      and(
        eq(enhancements.accountId, sql.placeholder('accountId')),
        ne(enhancements.id, sql.placeholder('except')),
        eq(enhancements.sourceSha256, sql.placeholder('sourceSha256')),
        eq(enhancements.fingerprint, sql.placeholder('fingerprint')),
        eq(enhancements.engineVersion, sql.placeholder('engineVersion')),
        // Literals, so that PostgreSQL can use the partial index
        sql`${enhancements.status} = 'FINISHED'`,
        isNotNull(enhancements.result),
        isNotNull(enhancements.engine),
        ne(uploads.status, 'UPLOAD_DELETED'),
      ),
    )
    .orderBy(desc(enhancements.finishedAt))
    .limit(1)
    .prepare('reusable_enhancement'),
);

export function createEnhancements({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /**
     * Writes the labels and the key of enhancements before the workflow of their upload accepts them. Once for each id.
     * @param keyId of the API key that orders them; null for a workflow
     */
    async label(
      accountId: string,
      keyId: string | null,
      orders: readonly { enhancementId: string; labels: CallerLabels }[],
    ): Promise<void> {
      const createdAt = new Date(now()).toISOString();
      await orm
        .insert(enhancementLabels)
        .values(orders.map(({ enhancementId, labels }) => ({ ...labels, accountId, keyId, enhancementId, createdAt })))
        .onConflictDoNothing();
    },

    /** Deletes labels older than `ageMs` milliseconds, which their records have copied. @returns their number */
    async purgeLabels(ageMs: number): Promise<number> {
      const before = new Date(now() - ageMs).toISOString();
      const gone = await orm
        .delete(enhancementLabels)
        .where(lt(enhancementLabels.createdAt, before))
        .returning({ id: enhancementLabels.enhancementId });
      return gone.length;
    },

    /**
     * Writes the state of an enhancement unless the record has a newer revision. An end replaces each open state, even
     * if the workflow is older than the record, and nothing replaces an end. The record of its upload must exist.
     * Existing facts are never removed.
     * @param sentence description of the change for the timeline
     * @returns whether it was applied
     */
    async project(
      enhancement: Enhancement,
      facts?: ReuseFacts | null,
      sentence: string | null = null,
    ): Promise<boolean> {
      const { accountId } = enhancement;
      const step = { accountId, enhancement: { state: enhancement, facts: facts ?? null }, sentence };
      return (await writeStep(orm, step, now())).applied;
    },

    async get(accountId: string, id: string): Promise<RecordedEnhancement | undefined> {
      const [enhancement] = await byId(orm).execute({ accountId, id });
      return enhancement;
    },

    async getMany(accountId: string, ids: readonly string[]): Promise<Map<string, RecordedEnhancement>> {
      const rows = await orm
        .select(SHOWN_ENHANCEMENT)
        .from(enhancements)
        .where(and(eq(enhancements.accountId, accountId), inArray(enhancements.id, [...ids])));
      return new Map(rows.map((enhancement) => [enhancement.id, enhancement]));
    },

    /** The upload of an enhancement of any account. For internal use, never for a caller's id. */
    async findUploadId(id: string): Promise<string | undefined> {
      const { uploadId } = enhancements;
      const [row] = await orm.select({ uploadId }).from(enhancements).where(eq(enhancements.id, id));
      return row?.uploadId;
    },

    /** Enhancements, oldest first, at most 1,000. */
    listForUpload(accountId: string, uploadId: string): Promise<RecordedEnhancement[]> {
      return orm
        .select(SHOWN_ENHANCEMENT)
        .from(enhancements)
        .where(and(eq(enhancements.accountId, accountId), eq(enhancements.uploadId, uploadId)))
        .orderBy(asc(enhancements.createdAt), asc(enhancements.id))
        .limit(MAX_ROWS);
    },

    /** Enhancements by upload, oldest first; the newest 100 of each upload. */
    async listForUploads(accountId: string, uploadIds: readonly string[]): Promise<Map<string, RecordedEnhancement[]>> {
      const { uploadId, createdAt, id } = enhancements;
      const rank = sql<number>`row_number() over (partition by ${uploadId} order by ${createdAt} desc, ${id} desc)`;
      const ranked = orm
        .select({ ...SHOWN_ENHANCEMENT, rank: rank.as('rank') })
        .from(enhancements)
        .where(and(eq(enhancements.accountId, accountId), inArray(uploadId, [...uploadIds])))
        .as('ranked');
      const rows = await orm
        .select()
        .from(ranked)
        .where(lte(ranked.rank, MAX_ROWS_PER_UPLOAD))
        .orderBy(asc(ranked.createdAt), asc(ranked.id));
      const byUpload = new Map<string, RecordedEnhancement[]>(uploadIds.map((each) => [each, []]));
      for (const { rank: _rank, ...enhancement } of rows) byUpload.get(enhancement.uploadId)!.push(enhancement);
      return byUpload;
    },

    /**
     * Enhancements, newest first.
     * @throws Failure BAD_USER_INPUT for an invalid limit or cursor
     */
    async list(accountId: string, request: EnhancementPageRequest): Promise<Page<RecordedEnhancement>> {
      const limit = rowsToAskFor(request);
      const after = timeCursor.decode(request.after);
      const rows = await orm
        .select(SHOWN_ENHANCEMENT)
        .from(enhancements)
        .where(
          and(
            eq(enhancements.accountId, accountId),
            request.uploadId === undefined ? undefined : eq(enhancements.uploadId, request.uploadId),
            request.status && eq(enhancements.status, request.status),
            matches(request, enhancements),
            afterTime(enhancements.createdAt, enhancements.id, after),
          ),
        )
        .orderBy(...newestFirst(enhancements.createdAt, enhancements.id))
        .limit(limit);
      return toPage(rows, request, (last) => timeCursor.encode([last.createdAt, last.id]));
    },

    /**
     * A finished enhancement that equals the given one and still has its result: its upload is not deleted. The
     * caller must copy the bytes, since they are deleted with the upload of the found enhancement.
     * @param except id of the requested enhancement
     */
    async findReusable(
      like: ReuseFacts & { accountId: string; except: string },
    ): Promise<FinishedEnhancement | undefined> {
      const [enhancement] = await reusable(orm).execute({ ...like });
      // The result is part of a workflow's history, and workflows carry no labels.
      return enhancement && (withoutLabels(enhancement) as FinishedEnhancement);
    },

    listPaid: (accountId: string, sourceSha256: string) => listPaid(orm, accountId, sourceSha256),

    /** Open enhancements of an upload, oldest first, at most 1,000. */
    listOpen(uploadId: string): Promise<Enhancement[]> {
      return orm
        .select(RECORD)
        .from(enhancements)
        .where(and(eq(enhancements.uploadId, uploadId), inArray(enhancements.status, OPEN_ENHANCEMENT_STATUSES)))
        .orderBy(asc(enhancements.createdAt), asc(enhancements.id))
        .limit(MAX_ROWS);
    },

    /** Enhancements that wait for credits, oldest first, at most 1,000. */
    awaitingCredits(accountId: string): Promise<Enhancement[]> {
      return orm
        .select(RECORD)
        .from(enhancements)
        .where(and(eq(enhancements.accountId, accountId), sql`${enhancements.status} = 'AWAITING_CREDITS'`))
        .orderBy(asc(enhancements.createdAt), asc(enhancements.id))
        .limit(MAX_ROWS);
    },
  };
}
