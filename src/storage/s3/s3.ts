import { lstat, open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { Failure } from '@burnish/contract';
import { hashFile } from '../../process/hash-file.ts';
import { diskFailure, openTemporaryFiles, writeBody } from '../filesystem/durable-files.ts';
import { createMemoryBudget } from '../memory-budget.ts';
import {
  comparedBody,
  matches,
  ObjectDamaged,
  type ExpectedBytes,
  type FoundBytes,
  type ReportDamage,
} from '../integrity.ts';
import type { ObjectStore, PutOptions, StoredObject, PutGrant } from '../object-store.ts';
import { assertReachable, orAbsent, readStatus, type S3Bucket } from './s3-bucket.ts';
import { copyObject, readFacts, hashBytes } from './s3-copy.ts';
import { createLocalCopies } from './s3-local-copies.ts';
import { sendFile } from './s3-send-file.ts';
import { abortMultipartUploads, deleteBelow } from './s3-sweep.ts';

/** Maximum total memory in bytes for files in transfer to storage. */
const MEMORY_BYTES = 64 * 1024 * 1024;

/**
 * Objects in a bucket, each with its SHA-256 as metadata. A stream is first written to a local file, because its hash
 * must be known before the first byte is sent. A slow or interrupted sender therefore costs storage nothing.
 * @param scratchDir folder for files in transfer; must have space for the largest files processed concurrently
 * @throws StartupError when the bucket cannot be used
 */
export async function openS3Store(
  place: S3Bucket,
  scratchDir: string,
  report: ReportDamage = () => undefined,
): Promise<ObjectStore> {
  await assertReachable(place);
  const { own, bucket, toObjectName } = place;
  const temporary = await openTemporaryFiles(scratchDir);
  const budget = createMemoryBudget(MEMORY_BYTES);
  const copies = createLocalCopies(place, temporary, compare);

  /** @throws ObjectDamaged */
  function compare(key: string, expected: ExpectedBytes, found: FoundBytes): void {
    if (matches(expected, found)) return;
    const damage = new ObjectDamaged(key, expected, found);
    report(damage);
    throw damage;
  }

  async function withTemporaryFile<T>(use: (path: string) => Promise<T>): Promise<T> {
    const path = await temporary.newPath();
    try {
      return await use(path);
    } finally {
      await rm(path, { force: true });
    }
  }

  /** Writes a temporary file without a sync, since it is useless after a crash. */
  async function write(path: string, body: AsyncIterable<Uint8Array>, options: PutOptions) {
    try {
      const handle = await open(path, 'wx', 0o600);
      return await writeBody(handle, body, { ...options, sync: false }).finally(() => handle.close());
    } catch (error) {
      throw diskFailure(error);
    }
  }

  const store: ObjectStore = {
    async put(key, body, options) {
      toObjectName(key);
      return withTemporaryFile(async (path) => {
        const written = await write(path, body, options);
        await sendFile(place, budget, key, { path, ...written, signal: options.signal });
        return { key, ...written };
      });
    },

    async putFile(key, path) {
      toObjectName(key);
      const file = await lstat(path);
      if (!file.isFile()) throw new Error('Expected a plain file to store.');
      const facts = { size: file.size, sha256: await hashFile(path) };
      await sendFile(place, budget, key, { path, ...facts });
      await rm(path);
      return { key, ...facts };
    },

    async get(key, range, expected): Promise<Readable> {
      const outside = new Failure('BAD_USER_INPUT', {
        detail: 'The range lies outside of the file. Request bytes within its size.',
      });
      const target = { Bucket: bucket, Key: toObjectName(key) };
      if (range !== undefined && !(range.start >= 0 && range.start <= range.end)) throw outside;
      const Range = range && `bytes=${range.start}-${range.end}`;
      try {
        const found = await orAbsent(own.send(new GetObjectCommand({ ...target, Range })));
        if (found === undefined) throw new Failure('NOT_FOUND');
        const body = found.Body as Readable;
        if (expected === undefined || range !== undefined) return body;
        return comparedBody(body, (came) => compare(key, expected, came));
      } catch (error) {
        throw readStatus(error) === 416 ? outside : error;
      }
    },

    async head(key): Promise<StoredObject | undefined> {
      const facts = await readFacts(place, key);
      if (facts === undefined) return undefined;
      const sha256 = facts.sha256 ?? (await hashBytes(place, key, facts.tag));
      return sha256 === undefined ? store.head(key) : { key, size: facts.size, sha256 };
    },

    async copy(from, to, { expected, ...options } = {}) {
      const source = expected && (await store.head(from));
      if (source) compare(from, expected, source);
      return await copyObject(place, from, to, options);
    },

    async delete(key) {
      await orAbsent(own.send(new DeleteObjectCommand({ Bucket: bucket, Key: toObjectName(key) })));
    },

    deletePrefix: (prefix) => deleteBelow(place, prefix),

    withLocalFile: (key, fn, expected) => copies.lend(key, fn, expected),

    signPut: async (key, grant) => signPut(place, key, grant),

    sweepUnfinished: (olderThanMs) => abortMultipartUploads(place, olderThanMs),
  };
  return store;
}

/** Signed headers that a sender must provide: the service refuses a file of another length or type. */
const BOUND_HEADERS = new Set(['host', 'content-type', 'content-length']);

/** A URL for a caller's direct PUT of an object; the same grant gives the same URL. */
export function signPut(
  { callers, bucket, toObjectName }: S3Bucket,
  key: string,
  { size, type, signedAtMs, validMs }: PutGrant,
): Promise<string> {
  const put = new PutObjectCommand({ Bucket: bucket, Key: toObjectName(key), ContentType: type, ContentLength: size });
  return getSignedUrl(callers, put, {
    signableHeaders: BOUND_HEADERS,
    signingDate: new Date(signedAtMs),
    expiresIn: Math.floor(validMs / 1000),
  });
}
