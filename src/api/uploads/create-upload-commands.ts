import { mediaKind } from '../../domain/upload/media.ts';
import type { UploadSource } from '../../domain/upload/upload.ts';
import { admitOrder } from './check-order.ts';
import { atFieldAsync } from '../commands/name-field.ts';
import { claimUpload } from './claim-upload.ts';
import { baseFilename, defaultFilename, filenameOfUrl } from '../schemas/filenames.ts';
import { originalKey } from '../commands/ids.ts';
import { discardStaged } from './receive/stage-file.ts';
import { Unavailable } from '../trouble/unavailable.ts';
import { startAgain, startUpload } from './start-upload.ts';
import type { UploadStart } from './start-upload.ts';
import type {
  Caller,
  CommandDeps,
  CreateKey,
  ReceivedFile,
  UploadOrder,
  UploadWithEnhancements,
} from '../commands/command-types.ts';

const OPERATION = 'createUpload';

type StoredSource = Extract<UploadSource, { kind: 'stored' }>;

export interface CreateUpload {
  /**
   * Starts the upload of a file that is in storage already. From now on the file is the upload's, or it is gone again:
   * after a refusal, and when the same request has been made before.
   */
  createUploadFromStored(
    caller: Caller,
    order: UploadOrder & { received: ReceivedFile },
    key: CreateKey,
  ): Promise<UploadWithEnhancements>;
  /** Starts the upload of a file that the workflow fetches. @throws Failure with field `url` for the address */
  createUploadFromUrl(
    caller: Caller,
    order: UploadOrder & { url: string },
    key: CreateKey,
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
      let start: UploadStart & { source: StoredSource };
      try {
        const originalFilename = (order.filename && baseFilename(order.filename)) || defaultFilename(file.mimetype);
        await admitOrder(deps, caller, order, mediaKind(file.mimetype));
        const request = { order, sha256: file.sha256 };
        const claimed = await claimUpload(deps, caller, { operation: OPERATION, key, request, id: received.uploadId });
        const { uploadId, earlier, claim } = claimed;
        if (earlier !== undefined) {
          await discardReceived(received);
          return await startAgain(deps, earlier);
        }
        let { objectKey } = received;
        if (uploadId !== received.uploadId) {
          // Equal requests at once write the same bytes to the same place, and one of them starts the upload.
          objectKey = originalKey(caller.account.id, uploadId);
          await deps.stagedFiles.add(uploadId, objectKey);
          await deps.storage.copy(received.objectKey, objectKey);
          await discardReceived(received);
        }
        start = { uploadId, originalFilename, source: { kind: 'stored', objectKey, file }, claim };
      } catch (error) {
        await discardReceived(received);
        throw error;
      }
      try {
        return await startUpload(deps, caller, order, start);
      } catch (error) {
        // Its turn never came. After any other error the file may be the upload's by now, or is left to the sweep.
        if (error instanceof Unavailable && error.part === 'gateway')
          await discardStaged(deps, { uploadId: start.uploadId, objectKey: start.source.objectKey });
        throw error;
      }
    },

    async createUploadFromUrl(caller, { url, ...order }, key) {
      await atFieldAsync('url', async () => deps.assertAllowedUrl(url));
      await admitOrder(deps, caller, order, null);
      const request = { order, url };
      const { uploadId, earlier, claim } = await claimUpload(deps, caller, { operation: OPERATION, key, request });
      if (earlier !== undefined) return await startAgain(deps, earlier);
      const given = order.filename === null ? null : baseFilename(order.filename);
      const originalFilename = given ?? filenameOfUrl(url);
      const source: UploadSource = { kind: 'url', url, ...(given === null ? { unnamed: true } : {}) };
      return await startUpload(deps, caller, order, { uploadId, originalFilename, source, claim });
    },
  };
}
