import { and, asc, eq, gt, gte, inArray, isNull, ne, or, sql } from 'drizzle-orm';
import type { Upload } from '@burnish/contract';
import type { Database } from '../database.ts';
import { changes } from '../schema/changes.ts';
import { enhancements, OPEN_ENHANCEMENTS } from '../schema/enhancements.ts';
import { uploads } from '../schema/uploads.ts';

export interface OpenUpload extends Pick<Upload, 'id' | 'revision' | 'status' | 'subStatus' | 'createdAt'> {
  hasOpen: boolean;
}

export interface StillUpload {
  id: string;
  /** Number of its last change */
  changeSeq: number;
}

export type DeletedUpload = Pick<Upload, 'id' | 'accountId' | 'deletedAt'>;

export type Reconciliation = ReturnType<typeof createReconciliation>;

/** The workflows that must exist according to the records: one for each upload that is not deleted. */
export function createReconciliation({ orm }: Pick<Database, 'orm'>) {
  const { id, accountId, revision, status, subStatus, createdAt, deletedAt } = uploads;
  // With the ended ones instead, each batch of a sweep would read all enhancements.
  const hasOpen = sql<boolean>`exists (select from ${enhancements} as each
    where each.upload_id = uploads.id and each.status in ${sql.raw(OPEN_ENHANCEMENTS)})`;
  return {
    /** Uploads that are not deleted, in the order of their ids. @param afterId the last id of the previous batch */
    openUploads(afterId: string, limit: number): Promise<OpenUpload[]> {
      return orm
        .select({ id, revision, status, subStatus, createdAt, hasOpen })
        .from(uploads)
        .where(and(gt(id, afterId), ne(status, 'UPLOAD_DELETED')))
        .orderBy(asc(id))
        .limit(limit);
    },

    /**
     * Uploads that wait or work, or whose enhancements do, without a change since a time: the latest change first.
     * @param before ISO 8601
     */
    async still(before: string, limit: number): Promise<StillUpload[]> {
      const { rows } = await orm.execute(sql`
        select uploads.id, change_seq::float8 as "changeSeq" from (
          select id from ${uploads} where status in ('UPLOAD_PENDING', 'UPLOAD_PROCESSING')
          union select upload_id from ${enhancements} where status in ${sql.raw(OPEN_ENHANCEMENTS)}
        ) as open
        join ${uploads} on uploads.id = open.id and status <> 'UPLOAD_DELETED'
        left join ${changes} on upload_id = open.id and seq = change_seq
        where coalesce(at, created_at) < ${before}::timestamptz
        order by coalesce(at, created_at) desc limit ${limit}`);
      return rows as unknown as StillUpload[];
    },

    /** Those of the given uploads without a record, and those deleted before a time. @param before ISO 8601 */
    async withoutUse(ids: readonly string[], before: string): Promise<string[]> {
      if (ids.length === 0) return [];
      const used = or(ne(status, 'UPLOAD_DELETED'), isNull(deletedAt), gte(deletedAt, before));
      const rows = await orm
        .select({ id })
        .from(uploads)
        .where(and(inArray(id, [...ids]), used));
      const known = new Set(rows.map((row) => row.id));
      return ids.filter((each) => !known.has(each));
    },

    /**
     * Uploads that were deleted since a time, in the order of their deletion.
     * @param since ISO 8601
     * @param after the last upload of the previous batch
     */
    deletedSince(since: string, after: DeletedUpload | undefined, limit: number): Promise<DeletedUpload[]> {
      const rest = after && sql`(${deletedAt}, ${id}) > (${after.deletedAt}::timestamptz, ${after.id}::text)`;
      return orm
        .select({ id, accountId, deletedAt })
        .from(uploads)
        .where(and(eq(status, 'UPLOAD_DELETED'), gte(deletedAt, since), rest))
        .orderBy(asc(deletedAt), asc(id))
        .limit(limit);
    },

    /** Those of the given enhancements without a record. */
    async unknownEnhancements(ids: readonly string[]): Promise<string[]> {
      if (ids.length === 0) return [];
      const rows = await orm
        .select({ id: enhancements.id })
        .from(enhancements)
        .where(inArray(enhancements.id, [...ids]));
      const known = new Set(rows.map((row) => row.id));
      return ids.filter((each) => !known.has(each));
    },
  };
}
