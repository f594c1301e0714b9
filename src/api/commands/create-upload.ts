import { mediaKind } from '../../domain/media.ts';
import type { UploadSource } from '../../domain/upload.ts';
import { admitOrder } from './admit.ts';
import { atFieldAsync } from './at-field.ts';
import { claimUpload } from './claim-upload.ts';
import { baseFilename, defaultFilename, filenameOfUrl } from './filenames.ts';
import { originalKey } from './ids.ts';
import { discardStaged } from '../stage-file.ts';
import { startUpload } from './start-upload.ts';
import type {
  Caller,
  CommandDeps,
  IdempotencyKey,
  ReceivedFile,
  UploadOrder,
  UploadWithEnhancements,
} from './types.ts';

const OPERATION = 'createUpload';

export interface CreateUpload {
  /**
   * Starts the upload of a file that is in storage already. From now on the file is the upload's, or it is gone again:
   * after a refusal, and when the same request has been made before.
   */
  createUploadFromStored(
    caller: Caller,
    order: UploadOrder & { received: ReceivedFile },
    key: IdempotencyKey,
  ): Promise<UploadWithEnhancements>;
  /** Starts the upload of a file that the workflow fetches. @throws Failure with field `url` for the address */
  createUploadFromUrl(
    caller: Caller,
    order: UploadOrder & { url: string },
    key: IdempotencyKey,
  ): Promise<UploadWithEnhancements>;
  /** Gives up a file that no upload is started for. */
  discardReceived(received: ReceivedFile): Promise<void>;
}

/** Uploads: the id comes from the caller's key, so that the workflow's id itself makes the start exactly-once. */
export function createUploadCommands(deps: CommandDeps): CreateUpload {
  const discardReceived = (received: ReceivedFile): Promise<void> => discardStaged(deps, received);

  return {
    discardReceived,

    async createUploadFromStored(caller, { received, ...order }, key) {
      const { file } = received;
      let { uploadId, objectKey } = received;
      let originalFilename: string;
      try {
        originalFilename = (order.filename && baseFilename(order.filename)) || defaultFilename(file.mimetype);
        await admitOrder(deps, caller, order, mediaKind(file.mimetype));
        if (key !== null) {
          const request = { order, sha256: file.sha256 };
          const claimed = await claimUpload(deps, caller, { operation: OPERATION, key, request });
          uploadId = claimed.uploadId;
          if (claimed.earlier === undefined) {
            // Equal requests at once write the same bytes to the same place, and one of them starts the upload.
            objectKey = originalKey(caller.account.id, uploadId);
            await deps.stagedFiles.add(uploadId, objectKey);
            await deps.storage.copy(received.objectKey, objectKey);
          }
          await discardReceived(received);
          if (claimed.earlier !== undefined) return claimed.earlier;
        }
      } catch (error) {
        await discardReceived(received);
        throw error;
      }
      const source: UploadSource = { kind: 'stored', objectKey, file };
      // When the answer to this is lost, the workflow may exist all the same: the sweep decides what the bytes are worth.
      const started = await startUpload(deps, caller, order, { uploadId, originalFilename, source });
      await deps.stagedFiles.remove(uploadId);
      return started;
    },

    async createUploadFromUrl(caller, { url, ...order }, key) {
      await atFieldAsync('url', async () => deps.assertAllowedUrl(url));
      await admitOrder(deps, caller, order, null);
      const request = { order, url };
      const { uploadId, earlier } = await claimUpload(deps, caller, { operation: OPERATION, key, request });
      if (earlier !== undefined) return earlier;
      const originalFilename = (order.filename && baseFilename(order.filename)) || filenameOfUrl(url);
      return await startUpload(deps, caller, order, { uploadId, originalFilename, source: { kind: 'url', url } });
    },
  };
}
