import { isCancellation, setHandler, workflowInfo } from '@temporalio/workflow';
import { counted, formatNumber, mediaKind, type Upload, type StoredFile, Failure } from '@burnish/contract';
import { provesBadFile } from '../../domain/bad-file.ts';
import { originalKey } from '../../domain/files/object-keys.ts';
import { RETRIES } from '../../domain/temporal/retry-policies.ts';
import type { UploadSource } from '../../domain/upload/new-upload.ts';
import type { Inspection } from '../../activities/provider/local-context.ts';
import {
  deleteUploadFiles,
  deleteWork,
  downloadUpload,
  readFromBucket,
  inspectImage,
  inspectLargeImage,
  joinParts,
} from '../activities.ts';
import { transferStep } from '../transfer-step.ts';
import { sendToHosted } from '../hosted/send-upload.ts';
import type { UploadContext } from './context.ts';
import { toSourceFile, type UploadTracker } from './upload-state.ts';
import type { SourceFile } from '../../activities/inputs/schemas.ts';
import { step, failureReason, type FailureReason } from '../step.ts';
import { partsComplete } from '../../domain/temporal/workflow-interface.ts';
import { waitUntil } from '../account-clock.ts';

/** Waits for a declared file. The upload fails if the file is late or differs from its declaration. */
export async function awaitFile(context: UploadContext): Promise<void> {
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
    await fail(context, failureReason(error));
  }
}

/** Downloads a file with a URL, inspects an image, and sends the file to the hosted service if that is the provider. */
export async function receive(context: UploadContext): Promise<void> {
  const { source: origin, tracker } = context;
  const { state } = tracker;
  if (state.revision === 0) state.startedAt = startTime(state.startedAt);
  try {
    const { accountId, id: uploadId } = state;
    const { download: attempts } = RETRIES;
    if (origin.kind === 'url') {
      const order = { url: origin.url, accountId, uploadId, unnamed: origin.unnamed ?? false };
      const transfer = { activity: downloadUpload, attempts, summary: uploadId, order };
      Object.assign(state, await transferStep(tracker.waits, transfer));
    }
    if (origin.kind === 'bucket') {
      const { bucket, key } = origin;
      const order = { accountId, uploadId, bucket, key };
      const transfer = { activity: readFromBucket, attempts, summary: `${bucket}/${key}`, order };
      Object.assign(state, await transferStep(tracker.waits, transfer));
    }
    const source = toSourceFile(state);
    const isPdf = mediaKind(source.mimetype) === 'pdf';
    const inspection = isPdf
      ? undefined
      : ((await context.enhancements.inspectWithOrder()) ?? (await inspectSource(tracker, source)));
    const { width, height, notes }: Omit<Inspection, 'hasAlpha'> = inspection ?? { width: 0, height: 0, notes: [] };
    if (state.provider === 'hosted' && context.hosted !== undefined) await sendToHosted(context, context.hosted);
    const looks = isPdf ? '' : `, ${formatNumber(width)} × ${formatNumber(height)} pixels`;
    await tracker.move(
      {
        status: 'UPLOAD_FINISHED',
        subStatus: isPdf ? 'METADATA_ANALYZING' : null,
        width,
        height,
        ...(state.file !== null && inspection && { file: { ...state.file, hasAlpha: inspection.hasAlpha } }),
        finishedAt: endTime(state),
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

/** Time in milliseconds within which Temporal starts the workflow of a record, when both have the same clock. */
const START_MS = 1_000;

/**
 * The start of a new upload. A gateway records it, and its clock may differ from Temporal's, which tells the end. The duration
 * is the time between, so a start of another clock is replaced by the start of the workflow.
 */
function startTime(recorded: string | null): string {
  const { startTime: started } = workflowInfo();
  const isSameClock = Math.abs(started.getTime() - (Date.parse(recorded ?? '') || 0)) < START_MS;
  return isSameClock ? recorded! : started.toISOString();
}

/** Now, and never before the start: Temporal's clock may have been set back meanwhile. */
function endTime({ startedAt }: Upload): string {
  return new Date(Math.max(Date.now(), Date.parse(startedAt ?? '') || 0)).toISOString();
}

/**
 * Inspects a received image. One that takes longer than a second is inspected among the large images, so that it delays no other
 * account's photograph.
 * @throws the activity's failure, with the code for the record
 */
async function inspectSource({ state, waits }: UploadTracker, source: SourceFile): Promise<Inspection> {
  const summary = state.originalFilename;
  return (await step(waits, inspectImage, { summary }, source)) ?? step(waits, inspectLargeImage, { summary }, source);
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
