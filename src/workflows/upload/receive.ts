import { condition, isCancellation, patched, setHandler } from '@temporalio/workflow';
import { counted, formatNumber } from '../../domain/counted.ts';
import { provesBadFile } from '../../domain/bad-file.ts';
import { Failure } from '../../domain/failures.ts';
import { incomingKey, originalKey } from '../../domain/files/object-keys.ts';
import { RETRIES } from '../../domain/temporal/retry-policies.ts';
import { completeUpload, putFile, refuseLongFile } from '../../domain/temporal/workflow-interface.ts';
import { mediaKind } from '../../domain/upload/media.ts';
import type { ArrivedFile, Upload, UploadSource } from '../../domain/upload/upload.ts';
import type { Inspection } from '../../activities/provider/provider.ts';
import { waitUntil } from '../account-clock.ts';
import {
  adoptFile,
  deleteUploadFiles,
  deleteWork,
  downloadUpload,
  readFromBucket,
  takeIncoming,
} from '../activities.ts';
import { failureReason, type FailureReason, refusal, validated, withMachineryBackoff } from '../step-failures.ts';
import { inTurn } from '../transfer-turns.ts';
import { sendToHosted } from '../hosted/send-upload.ts';
import type { SignedFile, UploadContext } from './context.ts';
import { inspectSource } from './inspect-source.ts';
import { awaitParts } from './parts.ts';
import { toSourceFile, type UploadTracker } from './upload-state.ts';

/** Waits for a declared file. The upload fails if the file is late or differs from its declaration. */
export async function awaitFile(context: UploadContext): Promise<void> {
  const { source, tracker, signedFile } = context;
  try {
    const file = source.kind === 'resumable' ? await awaitParts(tracker, source) : await signedFile.wait();
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
  try {
    if (origin.kind === 'url') {
      const received = await withMachineryBackoff(tracker.waits, (backoff) =>
        inTurn(RETRIES.download, backoff, (options) =>
          downloadUpload.executeWithOptions({ ...options, summary: state.id }, [
            { url: origin.url, accountId: state.accountId, uploadId: state.id, unnamed: origin.unnamed ?? false },
          ]),
        ),
      );
      Object.assign(state, received);
    }
    if (origin.kind === 'bucket') {
      const { bucket, key } = origin;
      const received = await withMachineryBackoff(tracker.waits, (backoff) =>
        inTurn(RETRIES.download, backoff, (options) =>
          readFromBucket.executeWithOptions({ ...options, summary: `${bucket}/${key}` }, [
            { accountId: state.accountId, uploadId: state.id, bucket, key },
          ]),
        ),
      );
      Object.assign(state, received);
    }
    const source = toSourceFile(state);
    const isPdf = mediaKind(source.mimetype) === 'pdf';
    const { width, height, hasAlpha, notes }: Inspection = isPdf
      ? { width: 0, height: 0, notes: [] }
      : await inspectSource(tracker, source);
    if (state.provider === 'hosted' && context.hosted !== undefined) await sendToHosted(context, context.hosted);
    const looks = isPdf ? '' : `, ${formatNumber(width)} × ${formatNumber(height)} pixels`;
    await tracker.move(
      {
        status: 'UPLOAD_FINISHED',
        subStatus: isPdf ? 'METADATA_ANALYZING' : null,
        width,
        height,
        ...(state.file !== null && hasAlpha !== undefined && { file: { ...state.file, hasAlpha } }),
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
  // Workflows of earlier versions have deleted the bytes.
  const isOverLimit = reason.code === 'PROCESSING_LIMIT' && !patched('keep-original-over-limit');
  const unusable = isOverLimit || provesBadFile(reason.code);
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

/** Now, and never before the start: a gateway records that, and its clock may be ahead of Temporal's. */
function endTime({ startedAt }: Upload): string {
  return new Date(Math.max(Date.now(), Date.parse(startedAt ?? '') || 0)).toISOString();
}

/** The file of a signed URL. Registers the handlers before the first await, so that no command arrives too early. */
export function expectSignedFile(tracker: UploadTracker, source: UploadSource): SignedFile {
  const { state } = tracker;
  let arrived: ArrivedFile | null = null;
  let adopting = false;
  let completionAsked = false;
  let tooLong = false;
  let closed = false;

  const takesFiles = (): boolean => state.status === 'UPLOAD_PENDING' && !closed;
  const objectKey = originalKey(state.accountId, state.id);
  // The file of a signed URL may have arrived before the loss of an earlier workflow.
  const direct = state.objectKey === null ? undefined : incomingKey(state.accountId, state.id);
  const arrivesAt = source.kind === 'signed' ? (source.incomingKey ?? direct) : undefined;
  const nothingSent = (): Failure =>
    new Failure('CONFLICT', {
      detail: 'No file has been sent to the signed URL yet. Send it, and complete the upload again.',
    });

  /** @param take moves the file to the upload's key; throws when there is no file */
  async function adopt(take: () => Promise<ArrivedFile>): Promise<void> {
    adopting = true;
    try {
      const file = await take();
      arrived = file;
      await tracker.move({ objectKey }, `A file of ${counted(file.size, 'byte')} has arrived.`);
    } finally {
      adopting = false;
    }
  }

  async function takeOver(file: ArrivedFile): Promise<ArrivedFile> {
    const there = await adoptFile({ from: file.objectKey, to: objectKey });
    if (!there)
      throw refusal(new Failure('INTERNAL', { detail: 'The file was lost during the upload. Send it again.' }));
    return file;
  }

  async function takeFromStorage(from: string): Promise<ArrivedFile> {
    const file = await takeIncoming({ from, to: objectKey });
    if (file === null) throw refusal(nothingSent());
    // Set first, because the URL may expire at this moment.
    completionAsked = true;
    return file;
  }

  /** @throws Failure CONFLICT when the upload accepts no PUT any more */
  function assertTakesPut(): void {
    if (!takesFiles())
      throw new Failure('CONFLICT', {
        detail: 'The upload no longer accepts a file. Create another signed upload.',
      });
    if (adopting || arrived !== null) {
      throw new Failure('CONFLICT', { detail: 'A file has already been sent to this URL.' });
    }
  }

  const verdict = (): Promise<void> =>
    condition(() => state.status !== 'UPLOAD_PENDING' && state.status !== 'UPLOAD_PROCESSING');

  setHandler(
    putFile,
    async (file) => {
      await adopt(() => takeOver(file));
      return state;
    },
    { validator: validated((_file: ArrivedFile) => assertTakesPut()) },
  );

  setHandler(
    refuseLongFile,
    async () => {
      tooLong = true;
      closed = true;
      await verdict();
      return state;
    },
    { validator: validated(assertTakesPut) },
  );

  setHandler(
    completeUpload,
    async () => {
      if (arrivesAt !== undefined) {
        // One command at a time: a repeated command may arrive while the first one is being processed.
        await condition(() => !adopting);
        if (takesFiles() && arrived === null) await adopt(() => takeFromStorage(arrivesAt));
      }
      completionAsked = true;
      await verdict();
      return state;
    },
    {
      validator: validated(() => {
        if (source.kind !== 'signed') {
          throw new Failure('BAD_USER_INPUT', { detail: 'The upload has no signed URL to complete.' });
        }
        // In later states the validator accepts the command, which then returns the state after the check.
        if (takesFiles() && arrived === null && !adopting && arrivesAt === undefined) throw nothingSent();
      }),
    },
  );

  async function close(): Promise<void> {
    closed = true;
    await condition(() => !adopting);
  }

  return {
    close,
    async wait() {
      if (source.kind !== 'signed') throw new TypeError('Only an upload with a signed URL is pending.');
      const { declared, expiresAt } = source;
      await waitUntil(Date.parse(expiresAt), () => completionAsked || tooLong);
      await close();
      const said = `${counted(declared.size, 'byte')} of ${declared.mimetype}`;
      if (tooLong) {
        throw new Failure('UPLOAD_MISMATCH', { detail: `The declaration was ${said}, but the file is larger.` });
      }
      if (!completionAsked || arrived === null) {
        const detail = `The signed URL expired at ${expiresAt}, before a file was sent to it and completed.`;
        throw new Failure('SIGNED_URL_EXPIRED', { detail });
      }
      const { size, sha256, mimetype } = arrived;
      if (size !== declared.size || mimetype !== declared.mimetype) {
        const came = `${counted(size, 'byte')} of ${mimetype ?? 'a type that is not supported'}`;
        const detail = `The declaration was ${said}, but the file has ${came}.`;
        throw new Failure('UPLOAD_MISMATCH', { detail });
      }
      return { size, sha256, mimetype };
    },
  };
}
