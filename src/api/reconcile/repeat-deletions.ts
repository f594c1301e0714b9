import pLimit from 'p-limit';
import { uploadPrefix } from '../../domain/files/object-keys.ts';
import type { DeletedUpload } from '../../database/uploads/reconciliation.ts';
import { CHECKPOINT_KEY, readMarker, writeMarker } from '../../storage/marked-storage.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';

const BATCH = 200;
const DELETIONS_AT_ONCE = 4;
/** Covers clocks that differ, and deletions that take long. */
const MARGIN_MS = 3_600_000;

export type RepeatDeletionsDeps = Pick<ReconcileDeps, 'reconciliation' | 'storage' | 'now'>;

/**
 * Repeats deletions for a process. Storage that was away, or whose checkpoint is not the one that this process wrote, may be an
 * older copy.
 */
export function createDeletionRepeats(deps: RepeatDeletionsDeps) {
  let known: string | undefined;

  async function repeat(signal: AbortSignal): Promise<void> {
    known = undefined;
    await repeatDeletions(deps, signal);
    known = await readMarker(deps.storage, CHECKPOINT_KEY);
  }

  return {
    repeat,

    /** Repeats deletions if storage may have lost them since the last call; does nothing while storage is away. */
    async afterOutage(signal: AbortSignal): Promise<void> {
      let checkpoint: string | undefined;
      try {
        checkpoint = await readMarker(deps.storage, CHECKPOINT_KEY);
      } catch {
        // Storage tells its trouble itself, at every use.
        known = undefined;
        return;
      }
      if (known === undefined || checkpoint !== known) await repeat(signal);
    },
  };
}

/**
 * Deletes the files of uploads again that were deleted after the checkpoint in storage, and moves the checkpoint. An
 * older copy of storage has an older checkpoint, and the files of all uploads that were deleted since. Without a
 * checkpoint, storage may be of any age.
 * @returns the number of repeated deletions
 */
export async function repeatDeletions(deps: RepeatDeletionsDeps, signal: AbortSignal): Promise<number> {
  const { reconciliation, storage, now } = deps;
  const startedAt = new Date(now()).toISOString();
  const checkpoint = Date.parse((await readMarker(storage, CHECKPOINT_KEY)) ?? '') || MARGIN_MS;
  const since = new Date(checkpoint - MARGIN_MS).toISOString();
  const limit = pLimit(DELETIONS_AT_ONCE);
  const deleteFiles = async ({ accountId, id }: DeletedUpload): Promise<void> => {
    signal.throwIfAborted();
    await storage.deletePrefix(uploadPrefix(accountId, id));
  };
  let repeated = 0;
  for (let last: DeletedUpload | undefined; ;) {
    const batch = await reconciliation.deletedSince(since, last, BATCH);
    if (batch.length === 0) break;
    await Promise.all(batch.map((each) => limit(deleteFiles, each)));
    repeated += batch.length;
    last = batch.at(-1);
    // The order is that of the deletions, so a run that is interrupted continues from here.
    if (last?.deletedAt) await writeMarker(storage, last.deletedAt, CHECKPOINT_KEY);
  }
  await writeMarker(storage, startedAt, CHECKPOINT_KEY);
  return repeated;
}
