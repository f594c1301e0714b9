import { allHandlersFinished, condition, patched, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import type { DeletionReason } from '@burnish/contract';
import { fileNameAttribute, referenceAttribute } from '../../domain/temporal/search-attributes.ts';
import { deleteUploadFiles } from '../activities.ts';
import { removeAtHosted } from '../hosted/send-upload.ts';
import type { UploadContext } from './open-upload.ts';

/** Cancels every order, removes the files, and leaves a tombstone. Returns once every event has had its first attempt. */
export async function remove(context: UploadContext, reason: DeletionReason): Promise<void> {
  await removeFiles(context, reason);
  await removeAtHosted(context);
  await context.tracker.notifications.settled();
  await condition(allHandlersFinished);
  forgetNames();
}

async function removeFiles(
  { tracker, enhancements, signedFile }: UploadContext,
  reason: DeletionReason,
): Promise<void> {
  const { accountId, id } = tracker.state;
  await enhancements.cancelAll();
  await signedFile?.close();
  await deleteUploadFiles({ accountId, uploadId: id });
  await tracker.move(
    { status: 'UPLOAD_DELETED', objectKey: null, deletedAt: new Date().toISOString(), deletionReason: reason },
    reason === 'user' ? 'Deleted on request.' : 'Deleted: its retention has passed.',
  );
}

/**
 * Removes the references and the file name of the caller, which lists of workflows show. A workflow without them has nothing to remove,
 * so its history stays as it was before this step.
 */
function forgetNames(): void {
  const { typedSearchAttributes } = workflowInfo();
  const names = [referenceAttribute, fileNameAttribute].filter((key) => typedSearchAttributes.get(key) !== undefined);
  if (names.length === 0 || !patched('references forgotten')) return;
  upsertSearchAttributes(names.map((key) => ({ key, value: null }) as SearchAttributeUpdatePair));
}
