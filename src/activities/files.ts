import { Failure } from '../domain/failures.ts';
import { DETECT_BYTES, MAX_FILE_SIZE_BYTES } from '../domain/upload/media.ts';
import { originalKey, uploadPrefix, workPrefix } from '../domain/files/object-keys.ts';
import { TRANSFER_MS } from '../domain/temporal/timeouts.ts';
import type { ArrivedFile, StoredFile } from '../domain/upload/upload.ts';
import type { SafeFetch } from '../net/safe-fetch.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { receiveFile, type ReceiveDeps } from '../storage/receive-file.ts';
import { withHeartbeat } from './heartbeat.ts';

export interface FilesDeps {
  store: ObjectStore;
  detect: ReceiveDeps['detect'];
  safeFetch: Pick<SafeFetch, 'download'>;
}

export interface DownloadOrder {
  accountId: string;
  uploadId: string;
  url: string;
  /** Whether the file takes the name that the answer gives it */
  unnamed: boolean;
}

export interface DownloadedFile {
  objectKey: string;
  file: StoredFile;
  /** Absent where the upload keeps its name */
  originalFilename?: string;
}

export function createFileActivities({ store, detect, safeFetch }: FilesDeps) {
  async function copyFile({ from, to }: { from: string; to: string }): Promise<boolean> {
    return withHeartbeat(async () => (await unlessMissing(store.copy(from, to))) !== undefined);
  }

  /** The first bytes of an object, as many as tell its type. */
  async function headOf(key: string): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of await store.get(key, { start: 0, end: DETECT_BYTES - 1 })) parts.push(part as Buffer);
    return Buffer.concat(parts);
  }

  return {
    /** Fetches the file of an upload from the address that the caller gave. */
    async downloadUpload({ accountId, uploadId, url, unnamed }: DownloadOrder): Promise<DownloadedFile> {
      return withHeartbeat(async ({ signal }) => {
        const limits = { maxBytes: MAX_FILE_SIZE_BYTES, timeoutMs: TRANSFER_MS, signal };
        const download = await safeFetch.download(url, limits);
        const objectKey = originalKey(accountId, uploadId);
        const file = await receiveFile({ store, detect }, objectKey, download.body, { signal });
        const { declaredFilename } = download;
        return { objectKey, file, ...(unnamed && declaredFilename && { originalFilename: declaredFilename }) };
      });
    },

    /** Removes the original and every result of an upload. */
    async deleteUploadFiles({ accountId, uploadId }: { accountId: string; uploadId: string }): Promise<void> {
      await withHeartbeat(() => store.deletePrefix(uploadPrefix(accountId, uploadId)));
    },

    async deleteResult({ objectKey }: { objectKey: string }): Promise<void> {
      await withHeartbeat(() => store.delete(objectKey));
    },

    /** Removes what was kept while a result was being made. */
    async deleteWork({ resultKey }: { resultKey: string }): Promise<void> {
      await withHeartbeat(() => store.deletePrefix(workPrefix(resultKey)));
    },

    /** Makes a result serve a second enhancement; false when it is gone. */
    copyResult: copyFile,

    /** Takes a file that was received beside its upload into the upload's own place; false when it is gone. */
    adoptFile: copyFile,

    /**
     * Takes a file that a caller has put straight into storage into the upload's own place, where nobody else can change it, and
     * looks at its bytes: nothing of what the caller says of them counts. Null when none has come.
     */
    async takeIncoming({ from, to }: { from: string; to: string }): Promise<ArrivedFile | null> {
      return withHeartbeat(async () => {
        // When an earlier attempt has got further than it could tell, the file is at its place already.
        const taken = (await unlessMissing(store.copy(from, to, { verify: true }))) ?? (await store.head(to));
        if (taken === undefined) return null;
        const { size, sha256 } = taken;
        const mimetype = size === 0 ? undefined : await detect(await headOf(to));
        await store.delete(from);
        return { objectKey: to, size, sha256, mimetype: mimetype ?? null };
      });
    },
  };
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Failure && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
