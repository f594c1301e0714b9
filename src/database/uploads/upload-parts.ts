import { and, asc, eq, lt, sql } from 'drizzle-orm';
import type { Vault } from '../../secrets/key-ring.ts';
import type { Database } from '../database.ts';
import { resumableUploads, uploadParts } from '../schema/upload-parts.ts';

/** Maximum number of parts of an upload. */
export const MAX_PARTS = 10_000;

/** Time in milliseconds for which the offset of an upload can be read after its deadline. */
const KEPT_MS = 7 * 24 * 3_600_000;

export type ResumableUpload = Omit<typeof resumableUploads.$inferSelect, 'accountId'>;

/** A part in storage. */
export interface UploadPart {
  objectKey: string;
  /** Bytes */
  size: number;
}

export const resumableAad = (uploadId: string): string => `resumable_uploads/${uploadId}/metadata`;

export type UploadParts = ReturnType<typeof createUploadParts>;

/**
 * Resumable uploads with their parts. The offset moves only from the end of the last part, in the statement that adds
 * the next ones. Of several gateways that append at the same offset, one succeeds.
 */
export function createUploadParts({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  return {
    /** Adds an upload without bytes; a repetition changes nothing. */
    async create(upload: Omit<typeof resumableUploads.$inferInsert, 'offset' | 'parts'>): Promise<void> {
      const metadata = vault.seal(upload.metadata, resumableAad(upload.uploadId));
      await orm
        .insert(resumableUploads)
        .values({ ...upload, metadata })
        .onConflictDoNothing();
    },

    async get(accountId: string, uploadId: string): Promise<ResumableUpload | undefined> {
      const [row] = await orm
        .select()
        .from(resumableUploads)
        .where(and(eq(resumableUploads.uploadId, uploadId), eq(resumableUploads.accountId, accountId)));
      if (row === undefined) return undefined;
      const { accountId: _, ...upload } = row;
      return { ...upload, metadata: vault.open(upload.metadata, resumableAad(uploadId)) };
    },

    /**
     * Adds consecutive parts at an offset, all or none.
     * @param start bytes; the present offset of the upload
     * @returns whether the upload was still at this offset
     */
    async append(uploadId: string, start: number, parts: readonly UploadPart[]): Promise<boolean> {
      let end = start;
      const rows = parts.map(({ objectKey, size }) => {
        const row = { start: end, object_key: objectKey };
        end += size;
        return row;
      });
      const moved = orm
        .update(resumableUploads)
        .set({ offset: end, parts: sql`${resumableUploads.parts} + ${rows.length}` })
        .where(and(eq(resumableUploads.uploadId, uploadId), eq(resumableUploads.offset, start)))
        .returning({ uploadId: resumableUploads.uploadId });
      const added = await orm.execute(sql`with moved as ${moved}
        insert into ${uploadParts} (upload_id, start, object_key)
        select moved.upload_id, row.start, row.object_key
        from moved, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row(start bigint, object_key text)
        returning start`);
      return added.rows.length === rows.length;
    },

    /** All parts of an upload in their order. */
    list(uploadId: string): Promise<{ start: number; objectKey: string }[]> {
      return orm
        .select({ start: uploadParts.start, objectKey: uploadParts.objectKey })
        .from(uploadParts)
        .where(eq(uploadParts.uploadId, uploadId))
        .orderBy(asc(uploadParts.start));
    },

    /** Deletes the rows of uploads whose deadline has passed long ago. @returns their number */
    async purge(): Promise<number> {
      const gone = await orm
        .delete(resumableUploads)
        .where(lt(resumableUploads.expiresAt, new Date(now() - KEPT_MS).toISOString()))
        .returning({ uploadId: resumableUploads.uploadId });
      return gone.length;
    },
  };
}
