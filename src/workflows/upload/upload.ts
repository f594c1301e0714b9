import { isCancellation, setHandler } from '@temporalio/workflow';
import { counted, Failure, type StoredFile } from '@burnish/contract';
import { originalKey } from '../../domain/files/object-keys.ts';
import { RETRIES } from '../../domain/temporal/retry-policies.ts';
import { partsComplete } from '../../domain/temporal/workflow-interface.ts';
import type { UploadSource } from '../../domain/upload/new-upload.ts';
import { waitUntil } from '../../test-accounts/workflow-clock.ts';
import { deleteWork, downloadUpload, joinParts, readFromBucket } from '../activities.ts';
import { failureReason, step } from '../step.ts';
import { transferStep } from '../transfer-step.ts';
import { failUpload } from './fail-upload.ts';
import type { UploadContext } from './open-upload.ts';
import type { UploadTracker } from './upload-state.ts';

/** Whether the file has yet to come: in parts, to a signed URL, from a URL or from a bucket. */
export function lacksFile({ source: { kind }, tracker: { state } }: UploadContext): boolean {
  return state.status === 'UPLOAD_PENDING' || (state.status === 'UPLOAD_PROCESSING' && isFetched(kind));
}

const isFetched = (kind: UploadSource['kind']): boolean => kind === 'url' || kind === 'bucket';

/** The step that brings the file into storage: it waits for a declared file, or fetches one. A failure ends as `UPLOAD_FAILED`. */
export const upload = (context: UploadContext): Promise<void> =>
  isFetched(context.source.kind) ? fetchFile(context) : awaitFile(context);

/** Waits for a declared file. The upload fails if the file is late or differs from its declaration. */
async function awaitFile(context: UploadContext): Promise<void> {
  const { source, tracker, signedFile } = context;
  try {
    const file = source.kind === 'resumable' ? await awaitParts(tracker, source) : await signedFile!.wait();
    const { accountId, id } = tracker.state;
    const objectKey = originalKey(accountId, id);
    const startedAt = new Date().toISOString();
    await tracker.move(
      { status: 'UPLOAD_PROCESSING', objectKey, file, startedAt },
      'The file is complete and matches its declaration.',
    );
    if (source.kind === 'resumable') await deleteWork({ resultKey: objectKey });
  } catch (error) {
    if (isCancellation(error)) throw error;
    await failUpload(context, failureReason(error));
  }
}

/** Fetches a file from its URL or its bucket. */
async function fetchFile(context: UploadContext): Promise<void> {
  const { source, tracker } = context;
  const { state } = tracker;
  try {
    const { accountId, id: uploadId } = state;
    const { download: attempts } = RETRIES;
    if (source.kind === 'url') {
      const order = { url: source.url, accountId, uploadId, unnamed: source.unnamed ?? false };
      const transfer = { activity: downloadUpload, attempts, summary: uploadId, order };
      Object.assign(state, await transferStep(tracker.waits, transfer));
    }
    if (source.kind === 'bucket') {
      const { bucket, key } = source;
      const order = { accountId, uploadId, bucket, key };
      const transfer = { activity: readFromBucket, attempts, summary: `${bucket}/${key}`, order };
      Object.assign(state, await transferStep(tracker.waits, transfer));
    }
  } catch (error) {
    if (isCancellation(error)) throw error;
    await failUpload(context, failureReason(error));
  }
}

/**
 * Waits until all parts of a resumable upload are in storage, and joins them to the original. At the deadline the parts
 * decide, because a gateway may have ended before it could signal the last one.
 * @throws Failure UPLOAD_EXPIRED; UPLOAD_MISMATCH; UNSUPPORTED_MEDIA_TYPE or FILE_TOO_LARGE for a file without a declared type
 */
async function awaitParts(
  { state, waits }: UploadTracker,
  { declared, expiresAt }: Extract<UploadSource, { kind: 'resumable' }>,
): Promise<StoredFile> {
  let isSignalled = false;
  setHandler(partsComplete, () => {
    isSignalled = true;
  });
  for (;;) {
    const isInTime = await waitUntil(Date.parse(expiresAt), () => isSignalled, { summary: 'deadline of the file' });
    isSignalled = false;
    const { accountId, id: uploadId } = state;
    const file = await step(waits, joinParts, { summary: uploadId }, { accountId, uploadId });
    if (file !== null) return assertDeclared(file, declared.mimetype);
    if (!isInTime) {
      const detail = `The file of ${counted(declared.size, 'byte')} was not complete at ${expiresAt}. Send it again with a new upload.`;
      throw new Failure('UPLOAD_EXPIRED', { detail });
    }
  }
}

function assertDeclared(file: StoredFile, declared: string | null): StoredFile {
  if (declared === null || file.mimetype === declared) return file;
  throw new Failure('UPLOAD_MISMATCH', {
    detail: `The file was declared as ${declared}, but its content is ${file.mimetype}.`,
  });
}
