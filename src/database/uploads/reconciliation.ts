import { and, asc, gt, inArray, ne } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { uploads } from '../schema/uploads.ts';

export interface OpenUpload {
  id: string;
  revision: number;
  createdAt: string;
}

export type Reconciliation = ReturnType<typeof createReconciliation>;

/** What records say of the workflows that there should be: one for each upload that has not been deleted. */
export function createReconciliation({ orm }: Pick<Database, 'orm'>) {
  const { id, revision, createdAt, status } = uploads;
  return {
    /** Uploads that have not been deleted, in the order of their ids. @param afterId the last one that was seen */
    openUploads(afterId: string, limit: number): Promise<OpenUpload[]> {
      return orm
        .select({ id, revision, createdAt })
        .from(uploads)
        .where(and(gt(id, afterId), ne(status, 'UPLOAD_DELETED')))
        .orderBy(asc(id))
        .limit(limit);
    },

    /** Those of these ids that no record has. */
    async unknown(ids: readonly string[]): Promise<string[]> {
      const rows = await orm
        .select({ id })
        .from(uploads)
        .where(inArray(id, [...ids]));
      const known = new Set(rows.map((row) => row.id));
      return ids.filter((each) => !known.has(each));
    },
  };
}
