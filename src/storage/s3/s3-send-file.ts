import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { MemoryBudget } from '../memory-budget.ts';
import type { S3Bucket } from './s3-bucket.ts';
import { toMetadata } from './s3-copy.ts';

/** Size of a part in bytes, and maximum size of an object sent in one piece. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 2;
/**
 * Minimum memory in bytes counted for an object in transfer. It covers the client's own objects and limits concurrent
 * transfers. Further transfers would only wait for a connection with their bytes in memory.
 */
const LEAST_BYTES = 2 * 1024 * 1024;

export interface FileToSend {
  path: string;
  /** Bytes */
  size: number;
  /** Hex SHA-256 of the bytes */
  sha256: string;
  /** Media type of the object; absent: that of the service */
  type?: string;
  signal?: AbortSignal | undefined;
}

/**
 * Sends a finished local file to storage: small files in one piece, large ones in parts. The service verifies every
 * byte against a checksum, and failed parts are sent again. The object appears completely or not at all; parts of a
 * failed transfer are removed.
 * @throws the reason of `signal`
 */
export async function sendFile(
  { own, bucket, toObjectName }: Pick<S3Bucket, 'own' | 'bucket' | 'toObjectName'>,
  budget: MemoryBudget,
  key: string,
  { path, size, sha256, type, signal }: FileToSend,
): Promise<void> {
  const target = { Bucket: bucket, Key: toObjectName(key), Metadata: toMetadata(sha256), ContentType: type };
  try {
    if (size <= PART_BYTES) {
      await budget.spend(Math.max(size, LEAST_BYTES), async () => {
        signal?.throwIfAborted();
        const Body = await readFile(path);
        const ChecksumSHA256 = Buffer.from(sha256, 'hex').toString('base64');
        await own.send(new PutObjectCommand({ ...target, Body, ChecksumSHA256 }), {
          ...(signal && { abortSignal: signal }),
        });
      });
      return;
    }
    await budget.spend((PARTS_AT_ONCE + 1) * PART_BYTES, async () => {
      signal?.throwIfAborted();
      const body = createReadStream(path, { highWaterMark: 1024 * 1024 });
      try {
        const upload = new Upload({
          client: own,
          params: { ...target, Body: body, ChecksumAlgorithm: 'CRC32' },
          partSize: PART_BYTES,
          queueSize: PARTS_AT_ONCE,
          leavePartsOnError: false,
        });
        await interruptible(upload, signal);
      } finally {
        body.destroy();
      }
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

async function interruptible(upload: Upload, signal: AbortSignal | undefined): Promise<void> {
  const stop = (): void => void upload.abort();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await upload.done();
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
