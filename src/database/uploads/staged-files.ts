import { asc, eq, lt } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { stagedFiles } from '../schema/requests.ts';

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
