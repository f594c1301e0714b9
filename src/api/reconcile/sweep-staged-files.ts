import { ownerIn } from '../../domain/files/object-keys.ts';
import { uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { StagedFiles } from '../../database/uploads/staged-files.ts';
import type { TemporalClient } from '../commands/command-types.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import { findRun } from './find-run.ts';

export interface SweepDeps {
  stagedFiles: Pick<StagedFiles, 'olderThan' | 'remove'>;
  uploads: Pick<Uploads, 'find'>;
  storage: Pick<ObjectStore, 'delete'>;
  client: TemporalClient;
}

/**
 * Deletes files that crashes left in storage: those staged for an upload that never started.
 * @param olderThanMs longer than any request takes, so that files of running requests remain
 * @returns the number of deleted files
 */
export async function sweepStagedFiles(deps: SweepDeps, olderThanMs: number): Promise<number> {
  let deleted = 0;
  const undecided = new Set<string>();
  for (;;) {
    const rows = (await deps.stagedFiles.olderThan(olderThanMs)).filter(({ uploadId }) => !undecided.has(uploadId));
    if (rows.length === 0) return deleted;
    for (const { uploadId, objectKey } of rows) {
      const upload = await deps.uploads.find(uploadId);
      if (upload === undefined && (await findRun(deps, uploadWorkflowId(uploadId))) !== undefined) {
        // The record is still to be written, and then shows the owner of the file.
        undecided.add(uploadId);
        continue;
      }
      if (upload?.objectKey !== objectKey && ownerIn(objectKey)?.uploadId === uploadId) {
        await deps.storage.delete(objectKey);
        deleted += 1;
      }
      await deps.stagedFiles.remove(uploadId);
    }
  }
}
