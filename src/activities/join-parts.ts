import { cancellationSignal } from '@temporalio/activity';
import { Failure, type StoredFile } from '@burnish/contract';
import type { UploadParts } from '../database/uploads/upload-parts.ts';
import { originalKey } from '../domain/files/object-keys.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { receiveFile, type ReceiveDeps } from '../storage/receive-file.ts';
import type { Input } from './inputs/schemas.ts';

export interface JoinPartsDeps {
  store: Pick<ObjectStore, 'get' | 'put' | 'delete'>;
  detect: ReceiveDeps['detect'];
  uploadParts: Pick<UploadParts, 'get' | 'list'>;
}

export function createJoinPartsActivity({ store, detect, uploadParts }: JoinPartsDeps) {
  return {
    /**
     * Joins the parts of a resumable upload to its original, with constant memory. The parts remain. Null while bytes are
     * missing.
     * @throws Failure UNSUPPORTED_MEDIA_TYPE, FILE_TOO_LARGE; ORIGINAL_MISSING when storage lost a part
     */
    async joinParts({ accountId, uploadId }: Input<'joinParts'>): Promise<StoredFile | null> {
      const whole = await uploadParts.get(accountId, uploadId);
      if (whole === undefined || whole.offset < whole.length) return null;
      const body = joined(store, await uploadParts.list(uploadId));
      const options = { announcedSize: whole.length, signal: cancellationSignal() };
      return receiveFile({ store, detect }, originalKey(accountId, uploadId), body, options);
    },
  };
}

async function* joined(
  store: Pick<ObjectStore, 'get'>,
  parts: readonly { objectKey: string }[],
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const { objectKey } of parts) {
    try {
      yield* await store.get(objectKey);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'NOT_FOUND') throw error;
      const detail = 'A part of the file is no longer in storage. Send the file again.';
      throw new Failure('ORIGINAL_MISSING', { detail, cause: error });
    }
  }
}
