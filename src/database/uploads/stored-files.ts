import { and, asc, eq, gte, inArray, isNotNull, ne, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { enhancements } from '../schema/enhancements.ts';
import { uploads } from '../schema/uploads.ts';

/** An original or a result that storage must have, by its record. */
export interface StoredFileRecord {
  accountId: string;
  uploadId: string;
  /** Null for the original of the upload */
  enhancementId: string | null;
  objectKey: string;
  /** Bytes */
  size: number;
  /** Hex SHA-256 */
  sha256: string;
}

export type StoredFiles = ReturnType<typeof createStoredFiles>;

/** Originals and results of all accounts, from uploads that are not deleted. */
export function createStoredFiles({ orm }: Pick<Database, 'orm'>) {
  const isKept = ne(uploads.status, 'UPLOAD_DELETED');

  async function filesOf(rows: (typeof uploads.$inferSelect)[]): Promise<StoredFileRecord[]> {
    const results = await orm
      .select({ uploadId: enhancements.uploadId, id: enhancements.id, result: enhancements.result })
      .from(enhancements)
      .where(
        and(
          inArray(
            enhancements.uploadId,
            rows.map(({ id }) => id),
          ),
          sql`${enhancements.status} = 'FINISHED'`,
          isNotNull(enhancements.result),
        ),
      )
      .orderBy(asc(enhancements.id));
    return rows.flatMap(({ id: uploadId, accountId, objectKey, file }) => {
      const of = (enhancementId: string | null, key: string, { size, sha256 }: { size: number; sha256: string }) => ({
        ...{ accountId, uploadId, enhancementId },
        ...{ objectKey: key, size, sha256 },
      });
      const made = results.filter((each) => each.uploadId === uploadId);
      return [
        ...(objectKey === null || file === null ? [] : [of(null, objectKey, file)]),
        ...made.map(({ id, result }) => of(id, result!.objectKey, result!)),
      ];
    });
  }

  return {
    /**
     * Files by upload, each original before its results.
     * @param from id of the first upload; absent: the oldest
     * @param limit number of uploads
     * @returns no files once no upload is left
     */
    async list(from: string | undefined, limit: number): Promise<{ uploadIds: string[]; files: StoredFileRecord[] }> {
      const rows = await orm
        .select()
        .from(uploads)
        .where(and(isKept, from === undefined ? undefined : gte(uploads.id, from)))
        .orderBy(asc(uploads.id))
        .limit(limit);
      return { uploadIds: rows.map(({ id }) => id), files: rows.length === 0 ? [] : await filesOf(rows) };
    },

    /** Whether a record still names these bytes, which a deletion or another attempt may have replaced. */
    async isExpected({ uploadId, enhancementId, objectKey, sha256 }: StoredFileRecord): Promise<boolean> {
      const rows = await orm
        .select()
        .from(uploads)
        .where(and(isKept, eq(uploads.id, uploadId)));
      const files = rows.length === 0 ? [] : await filesOf(rows);
      return files.some(
        (each) => each.enhancementId === enhancementId && each.objectKey === objectKey && each.sha256 === sha256,
      );
    },
  };
}
