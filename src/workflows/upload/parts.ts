import { setHandler } from '@temporalio/workflow';
import { counted } from '@burnish/engine/contract';
import { Failure } from '../../domain/failures.ts';
import { partsComplete } from '../../domain/temporal/workflow-interface.ts';
import type { StoredFile, UploadSource } from '../../domain/upload/upload.ts';
import { waitUntil } from '../account-clock.ts';
import { joinParts } from '../activities.ts';
import { step } from '../step.ts';
import type { UploadTracker } from './upload-state.ts';

/**
 * Waits until all parts of a resumable upload are in storage, and joins them to the original. At the deadline the parts
 * decide, because a gateway may have ended before it could signal the last one.
 * @throws Failure UPLOAD_EXPIRED; UPLOAD_MISMATCH; UNSUPPORTED_MEDIA_TYPE or FILE_TOO_LARGE for a file without a declared type
 */
export async function awaitParts(
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
