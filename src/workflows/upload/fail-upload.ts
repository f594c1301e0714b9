import type { Upload } from '@burnish/contract';
import { provesBadFile } from '../../domain/bad-file.ts';
import { deleteUploadFiles } from '../activities.ts';
import type { FailureReason } from '../step.ts';
import type { UploadContext } from './open-upload.ts';

/**
 * For a file that is proved unusable, keeps the record and the reason, and deletes the bytes. After any other failure, the
 * bytes stay until the upload is deleted or its retention ends.
 */
export async function failUpload({ tracker, enhancements }: UploadContext, reason: FailureReason): Promise<void> {
  const { accountId, id } = tracker.state;
  const unusable = provesBadFile(reason.code);
  const isGone = unusable || reason.code === 'ORIGINAL_MISSING';
  if (unusable) await deleteUploadFiles({ accountId, uploadId: id });
  await tracker.move(
    {
      status: 'UPLOAD_FAILED',
      errorCode: reason.code,
      errorDetail: reason.detail,
      ...(isGone ? { objectKey: null } : {}),
      finishedAt: endTime(tracker.state),
    },
    `Failed with ${reason.code}: ${reason.detail}`,
  );
  await enhancements.failWaiting(reason);
}

/** Now, and never before the start: Temporal's clock may have been set back meanwhile. */
export function endTime({ startedAt }: Upload): string {
  return new Date(Math.max(Date.now(), Date.parse(startedAt ?? '') || 0)).toISOString();
}
