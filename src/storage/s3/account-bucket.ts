import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { type Bucket, type BucketCredentials, Failure } from '@burnish/contract';
import { createMemoryBudget } from '../memory-budget.ts';
import { readStatus } from './s3-bucket.ts';
import { createBucketClient, type BucketConnection } from './s3-client.ts';
import { sendFile, type FileToSend } from './s3-send-file.ts';

export type AccountBucketLocation = Pick<Bucket, 'name' | 'bucket' | 'prefix'> & BucketConnection;

export interface ListedObjects {
  /** Keys below the prefix of the bucket, in the order of their bytes, with sizes in bytes */
  objects: { key: string; size: number }[];
  isLast: boolean;
}

/**
 * A bucket that the operator registered for an account. Keys lie below its prefix. Every method throws Failure
 * BUCKET_REFUSED when the service refuses access, and Failure UNAVAILABLE for the part `bucket` without an answer.
 */
export interface AccountBucket {
  /** Writes, reads and deletes an object of a few bytes. */
  probe(): Promise<void>;
  write(key: string, file: FileToSend): Promise<void>;
  /**
   * The bytes of an object. The caller reads the stream to its end or destroys it.
   * @throws Failure SOURCE_MISSING
   */
  read(key: string, signal: AbortSignal): Promise<{ body: AsyncIterable<Uint8Array>; size: number | undefined }>;
  /** Objects whose keys start with a prefix, after a key; at most 1,000 */
  list(prefix: string, after: string | null, signal: AbortSignal): Promise<ListedObjects>;
  close(): void;
}

export type OpenAccountBucket = (bucket: Bucket, credentials: BucketCredentials) => Promise<AccountBucket>;

/** Maximum total memory in bytes for files in transfer to buckets of accounts. */
const memory = createMemoryBudget(64 * 1024 * 1024);

export function openAccountBucket(
  { name, bucket, prefix, ...connection }: AccountBucketLocation,
  credentials: BucketCredentials,
): AccountBucket {
  const client = createBucketClient(connection, credentials);
  const start = prefix === '' ? '' : `${prefix}/`;
  const toObjectName = (key: string): string => `${start}${key}`;
  const at = (key: string) => ({ Bucket: bucket, Key: toObjectName(key) });

  async function translated<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw asBucketFailure(error, name);
    }
  }

  return {
    probe: () =>
      translated(
        (async () => {
          const target = at(`burnish-probe-${randomUUID()}`);
          await client.send(new PutObjectCommand({ ...target, Body: 'probe' }));
          const { Body } = await client.send(new GetObjectCommand(target));
          const text = await Body?.transformToString();
          await client.send(new DeleteObjectCommand(target));
          if (text !== 'probe') throw refused(name, 'It returned other bytes than were written.');
        })(),
      ),
    write: (key, file) => translated(sendFile({ own: client, bucket, toObjectName }, memory, key, file)),
    async read(key, signal) {
      const found = await translated(client.send(new GetObjectCommand(at(key)), { abortSignal: signal }));
      return { body: readBody(found.Body as Readable, name), size: found.ContentLength };
    },
    async list(below, after, signal) {
      const { Contents = [], IsTruncated } = await translated(
        client.send(
          new ListObjectsV2Command({
            Bucket: bucket,
            Prefix: toObjectName(below),
            ...(after === null ? {} : { StartAfter: toObjectName(after) }),
          }),
          { abortSignal: signal },
        ),
      );
      const objects = Contents.map(({ Key, Size = 0 }) => ({ key: Key!.slice(start.length), size: Size }));
      return { objects, isLast: IsTruncated !== true };
    },
    close: () => client.destroy(),
  };
}

async function* readBody(body: Readable, name: string): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of body) yield chunk as Buffer;
  } catch (error) {
    throw asBucketFailure(error, name);
  }
}

const refused = (name: string, reason: string, cause?: unknown): Failure =>
  new Failure('BUCKET_REFUSED', { detail: `The bucket ${name} refuses access: ${reason}`, cause });

/** The service's own words may contain keys and secrets, so only the log gets them. */
function asBucketFailure(error: unknown, name: string): unknown {
  if (error instanceof Failure) return error;
  const status = readStatus(error);
  if (error instanceof Error && error.name === 'AbortError') return error;
  if (status === undefined || status >= 500 || status === 408 || status === 429) {
    const detail = `The bucket ${name} does not answer. Repeat the request later.`;
    return new Failure('UNAVAILABLE', { detail, machinery: 'bucket', cause: error });
  }
  const code = error instanceof S3ServiceException ? error.name : '';
  if (code === 'NoSuchKey' || code === 'NotFound') {
    const detail = `The bucket ${name} has no object with this key.`;
    return new Failure('SOURCE_MISSING', { detail, cause: error });
  }
  return refused(
    name,
    REASONS[code] ?? REASONS_BY_STATUS[status] ?? `its service answered with status ${status}.`,
    error,
  );
}

const REASONS: Record<string, string> = {
  NoSuchBucket: 'the bucket does not exist.',
  InvalidAccessKeyId: 'its service does not know the access key.',
  SignatureDoesNotMatch: 'the secret access key is not the one of the access key.',
};
const REASONS_BY_STATUS: Record<number, string> = {
  301: 'the bucket is in another region.',
  403: 'the access key lacks a right.',
};
