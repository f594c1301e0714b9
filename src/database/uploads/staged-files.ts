import { asc, eq, lt } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { stagedFiles } from '../schema/requests.ts';
import { statement } from '../statement.ts';

export interface StagedFile {
  uploadId: string;
  objectKey: string;
  createdAt: string;
}

/** Maximum number of rows of one sweep. */
const BATCH = 500;

export type StagedFiles = ReturnType<typeof createStagedFiles>;

const STAGE = statement(
  'staged_file',
  `
  insert into staged_files (upload_id, object_key, created_at) values (:uploadId, :objectKey, :createdAt)
  on conflict (upload_id) do update set object_key = excluded.object_key, created_at = excluded.created_at`,
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
      await STAGE(orm, { uploadId, objectKey, createdAt });
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
