import { cancellationSignal } from '@temporalio/activity';
import { Failure, DETECT_BYTES, MAX_FILE_SIZE_BYTES, type StoredFile } from '@burnish/contract';
import type { AccountStorage } from '../database/accounts/account-storage.ts';
import type { Enhancements } from '../database/uploads/enhancements.ts';
import { fileTooLarge } from '../domain/upload/check-file-size.ts';
import { originalKey, ownerIn, uploadPrefix, workPrefix } from '../domain/files/object-keys.ts';
import { TRANSFER_MS } from '../domain/temporal/timeouts.ts';
import type { ArrivedFile } from '../domain/upload/new-upload.ts';
import type { SafeFetch } from '../net/safe-fetch.ts';
import { DeadlineError, startDeadline } from '../process/deadline.ts';
import { ObjectDamaged } from '../storage/integrity.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { openRegisteredBucket, type RegisteredBuckets } from '../storage/open-registered-bucket.ts';
import { receiveFile, type ReceiveDeps, type ReceiveOptions } from '../storage/receive-file.ts';
import type { Input } from './inputs/schemas.ts';

export interface FilesDeps extends RegisteredBuckets {
  store: ObjectStore;
  detect: ReceiveDeps['detect'];
  safeFetch: Pick<SafeFetch, 'download'>;
  enhancements: Pick<Enhancements, 'get'>;
  accountStorage: Pick<AccountStorage, 'expect'>;
}

export interface DownloadedFile {
  objectKey: string;
  file: StoredFile;
  /** Absent when the upload keeps its file name */
  originalFilename?: string;
}

export function createFileActivities({
  store,
  detect,
  safeFetch,
  enhancements,
  accountStorage,
  ...registered
}: FilesDeps) {
  /** Reads the first bytes of an object, enough to detect its type. */
  async function readHead(key: string): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of await store.get(key, { start: 0, end: DETECT_BYTES - 1 })) parts.push(part as Buffer);
    return Buffer.concat(parts);
  }

  /** Receives the original of an upload, and leaves nothing of one for which its account has no room. */
  async function receiveOriginal(
    { accountId, uploadId }: { accountId: string; uploadId: string },
    body: AsyncIterable<Uint8Array>,
    options: ReceiveOptions,
  ): Promise<DownloadedFile> {
    const objectKey = originalKey(accountId, uploadId);
    const { announcedSize } = options;
    if (announcedSize !== undefined) await accountStorage.expect(uploadId, announcedSize);
    const file = await receiveFile({ store, detect }, objectKey, body, options);
    try {
      await accountStorage.expect(uploadId, file.size);
    } catch (error) {
      if (error instanceof Failure) await store.delete(objectKey);
      throw error;
    }
    return { objectKey, file };
  }

  return {
    /** @throws Failure STORAGE_LIMIT; those of the download and of `receiveFile` */
    async downloadUpload({ accountId, uploadId, url, unnamed }: Input<'downloadUpload'>): Promise<DownloadedFile> {
      const signal = cancellationSignal();
      const limits = { maxBytes: MAX_FILE_SIZE_BYTES, timeoutMs: TRANSFER_MS, signal };
      const download = await safeFetch.download(url, limits);
      const received = await receiveOriginal({ accountId, uploadId }, download.body, { signal });
      const { declaredFilename } = download;
      return { ...received, ...(unnamed && declaredFilename && { originalFilename: declaredFilename }) };
    },

    /**
     * Reads a file from a bucket of the account, as `downloadUpload` does from a URL.
     * @throws Failure STORAGE_LIMIT, SOURCE_MISSING, BUCKET_REFUSED; UNAVAILABLE for the part `bucket`
     */
    async readFromBucket({ accountId, uploadId, bucket: name, key }: Input<'readFromBucket'>): Promise<DownloadedFile> {
      const bucket = await openRegisteredBucket(registered, accountId, name);
      const deadline = startDeadline(TRANSFER_MS, cancellationSignal());
      try {
        const { body, size } = await bucket.read(key, deadline.signal);
        if (size !== undefined && size > MAX_FILE_SIZE_BYTES) throw fileTooLarge(MAX_FILE_SIZE_BYTES);
        const announced = size === undefined ? {} : { announcedSize: size };
        const owner = { accountId, uploadId };
        return await receiveOriginal(owner, body, { ...announced, signal: deadline.signal });
      } catch (error) {
        if (!(deadline.signal.reason instanceof DeadlineError)) throw error;
        const detail = `The bucket ${name} sends too slowly.`;
        throw new Failure('UNAVAILABLE', { detail, machinery: 'bucket', cause: error });
      } finally {
        deadline.clear();
        bucket.close();
      }
    },

    async deleteUploadFiles({ accountId, uploadId }: Input<'deleteUploadFiles'>): Promise<void> {
      await store.deletePrefix(uploadPrefix(accountId, uploadId));
    },

    /** Deletes the result of an ended enhancement, unless a workflow older than the record repeated finished work. */
    async deleteResult({ objectKey }: Input<'deleteResult'>): Promise<void> {
      const { accountId } = ownerIn(objectKey) ?? {};
      const id = objectKey.split('/').at(-1);
      const recorded = accountId && id ? await enhancements.get(accountId, id) : undefined;
      if (recorded?.result?.objectKey !== objectKey) await store.delete(objectKey);
    },

    async deleteWork({ resultKey }: Input<'deleteWork'>): Promise<void> {
      await store.deletePrefix(workPrefix(resultKey));
    },

    /**
     * Copies a result for reuse by another enhancement.
     * @returns false when it no longer exists; `damaged` when its bytes are not the expected ones, and nothing is copied
     */
    async copyResult({ from, to, expected }: Input<'copyResult'>): Promise<boolean | 'damaged'> {
      try {
        return (await unlessMissing(store.copy(from, to, { expected }))) !== undefined;
      } catch (error) {
        if (error instanceof ObjectDamaged) return 'damaged';
        throw error;
      }
    },

    /** Moves a received file to the upload's own key; false when the file no longer exists. */
    async adoptFile({ from, to }: Input<'adoptFile'>): Promise<boolean> {
      return (await unlessMissing(store.copy(from, to))) !== undefined;
    },

    /**
     * Moves a file that the caller put directly into storage to the upload's own key, where no caller can change it. Detects
     * size, hash and type from its bytes, and ignores the caller's claims. Null when no file has arrived.
     */
    async takeIncoming({ from, to }: Input<'takeIncoming'>): Promise<ArrivedFile | null> {
      // An earlier attempt may have moved the file without a recorded result. The file is then already at its key.
      const taken = (await unlessMissing(store.copy(from, to, { verify: true }))) ?? (await store.head(to));
      if (taken === undefined) return null;
      const { size, sha256 } = taken;
      const mimetype = size === 0 ? undefined : await detect(await readHead(to));
      await store.delete(from);
      return { objectKey: to, size, sha256, mimetype: mimetype ?? null };
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
