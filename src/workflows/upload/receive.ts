import { isCancellation } from '@temporalio/workflow';
import { counted, formatNumber } from '../../domain/counted.ts';
import { provesBadFile } from '../../domain/failures.ts';
import { mediaKind } from '../../domain/upload/media.ts';
import { deleteUploadFiles, downloadUpload, inspect } from '../activities.ts';
import { failureReason, type FailureReason, withMachineryBackoff } from '../step-failures.ts';
import { sendToHosted } from '../hosted/send-upload.ts';
import type { UploadContext } from './context.ts';
import { sourceFileOf } from './upload-state.ts';

/** Waits for the file of a signed URL. The upload fails if the URL expires or the file differs from its declaration. */
export async function awaitFile(context: UploadContext): Promise<void> {
  const { tracker, signedFile } = context;
  try {
    const file = await signedFile.wait();
    const startedAt = new Date().toISOString();
    await tracker.move({ status: 'UPLOAD_PROCESSING', file, startedAt }, 'The file is complete, and as declared.');
  } catch (error) {
    if (isCancellation(error)) throw error;
    await fail(context, failureReason(error));
  }
}

/** Downloads a file with a URL, inspects an image, and sends the file to the hosted service if that is the provider. */
export async function receive(context: UploadContext): Promise<void> {
  const { source: origin, tracker } = context;
  const { state } = tracker;
  try {
    if (origin.kind === 'url') {
      const received = await withMachineryBackoff(tracker.waits, (backoff) =>
        downloadUpload.executeWithOptions({ ...backoff, summary: state.id }, [
          { url: origin.url, accountId: state.accountId, uploadId: state.id, unnamed: origin.unnamed ?? false },
        ]),
      );
      Object.assign(state, received);
    }
    const source = sourceFileOf(state);
    const isPdf = mediaKind(source.mimetype) === 'pdf';
    const { width, height, notes } = isPdf
      ? { width: 0, height: 0, notes: [] }
      : await withMachineryBackoff(tracker.waits, (backoff) =>
          inspect.executeWithOptions({ ...backoff, summary: state.originalFilename }, [source]),
        );
    if (state.provider === 'hosted' && context.hosted !== undefined) await sendToHosted(context, context.hosted);
    const looks = isPdf ? '' : `, ${formatNumber(width)} × ${formatNumber(height)} pixels`;
    await tracker.move(
      {
        status: 'UPLOAD_FINISHED',
        subStatus: isPdf ? 'METADATA_ANALYZING' : null,
        width,
        height,
        finishedAt: new Date().toISOString(),
      },
      [`Received ${source.mimetype}, ${counted(state.file?.size ?? 0, 'byte')}${looks}.`, ...notes].join(' '),
    );
  } catch (error) {
    if (isCancellation(error)) throw error;
    await fail(context, failureReason(error));
  }
}

/**
 * For a file that is proved unusable, keeps the record and the reason, and deletes the bytes. After any other failure, the
 * bytes stay until the upload is deleted or its retention ends.
 */
async function fail({ tracker, enhancements }: UploadContext, reason: FailureReason): Promise<void> {
  const { accountId, id } = tracker.state;
  const unusable = provesBadFile(reason.code);
  if (unusable) await deleteUploadFiles({ accountId, uploadId: id });
  await tracker.move(
    {
      status: 'UPLOAD_FAILED',
      errorCode: reason.code,
      errorDetail: reason.detail,
      ...(unusable ? { objectKey: null } : {}),
      finishedAt: new Date().toISOString(),
    },
    `Failed with ${reason.code}: ${reason.detail}`,
  );
  await enhancements.failWaiting(reason);
}
