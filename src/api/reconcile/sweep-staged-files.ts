import { WorkflowNotFoundError } from '@temporalio/client';
import { ownerIn } from '../../domain/files/object-keys.ts';
import { uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { StagedFiles } from '../../database/uploads/upload-starts.ts';
import type { TemporalClient } from '../commands/command-types.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';

export interface SweepDeps {
  stagedFiles: Pick<StagedFiles, 'olderThan' | 'remove'>;
  uploads: Pick<Uploads, 'find'>;
  storage: Pick<ObjectStore, 'delete'>;
  client: TemporalClient;
}

/**
 * Deletes what crashes have left in storage: files that were staged for an upload which then never began.
 * @param olderThanMs longer than any request takes, so that no file of a running request is touched
 * @returns how many files were deleted
 */
export async function sweepStagedFiles(deps: SweepDeps, olderThanMs: number): Promise<number> {
  let deleted = 0;
  const undecided = new Set<string>();
  for (;;) {
    const rows = (await deps.stagedFiles.olderThan(olderThanMs)).filter(({ uploadId }) => !undecided.has(uploadId));
    if (rows.length === 0) return deleted;
    for (const { uploadId, objectKey } of rows) {
      const upload = await deps.uploads.find(uploadId);
      if (upload === undefined && (await hasWorkflow(deps.client, uploadId))) {
        // Its record will come, and then say whose the file is.
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

async function hasWorkflow(client: TemporalClient, uploadId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(uploadWorkflowId(uploadId)).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
