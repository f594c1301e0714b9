import { Failure } from '../domain/failures.ts';
import { MAX_FILE_SIZE_BYTES } from '../domain/media.ts';
import { originalKey, uploadPrefix } from '../domain/object-keys.ts';
import type { StoredFile } from '../domain/upload.ts';
import type { SafeFetch } from '../net/safe-fetch.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { receiveFile, type ReceiveDeps } from '../storage/receive-file.ts';
import { withHeartbeat } from './heartbeat.ts';

/** The longest that a download may take, milliseconds. */
const DOWNLOAD_TIMEOUT_MS = 50 * 60_000;

export interface FilesDeps {
  store: ObjectStore;
  detect: ReceiveDeps['detect'];
  safeFetch: Pick<SafeFetch, 'download'>;
}

export interface DownloadOrder {
  accountId: string;
  uploadId: string;
  url: string;
}

export interface DownloadedFile {
  objectKey: string;
  file: StoredFile;
}

export function createFileActivities({ store, detect, safeFetch }: FilesDeps) {
  async function copyFile({ from, to }: { from: string; to: string }): Promise<boolean> {
    try {
      await store.copy(from, to);
      return true;
    } catch (error) {
      if (error instanceof Failure && error.code === 'NOT_FOUND') return false;
      throw error;
    }
  }

  return {
    /** Fetches the file of an upload from the address that the caller gave. */
    async downloadUpload({ accountId, uploadId, url }: DownloadOrder): Promise<DownloadedFile> {
      return withHeartbeat(async ({ signal }) => {
        const limits = { maxBytes: MAX_FILE_SIZE_BYTES, timeoutMs: DOWNLOAD_TIMEOUT_MS, signal };
        const download = await safeFetch.download(url, limits);
        const objectKey = originalKey(accountId, uploadId);
        const file = await receiveFile({ store, detect }, objectKey, download.body, { signal });
        return { objectKey, file };
      });
    },

    /** Removes the original and every result of an upload. */
    async deleteUploadFiles({ accountId, uploadId }: { accountId: string; uploadId: string }): Promise<void> {
      await store.deletePrefix(uploadPrefix(accountId, uploadId));
    },

    async deleteResult({ objectKey }: { objectKey: string }): Promise<void> {
      await store.delete(objectKey);
    },

    /** Makes a result serve a second enhancement; false when it is gone. */
    copyResult: copyFile,

    /** Takes a file that was received beside its upload into the upload's own place; false when it is gone. */
    adoptFile: copyFile,
  };
}
