import { open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { Failure } from '@burnish/contract';
import { diskFailure, type TemporaryFiles, writeBody } from '../filesystem/durable-files.ts';
import type { ExpectedBytes, FoundBytes } from '../integrity.ts';
import type { S3Bucket } from './s3-bucket.ts';
import { readFacts, isReplaced, type S3Facts } from './s3-copy.ts';

const KEPT_MS = 60_000;

interface LocalCopy {
  file: Promise<{ path: string; found: FoundBytes }>;
  users: number;
  removal?: NodeJS.Timeout;
}

export interface LocalCopies {
  /**
   * Runs `fn` with a local copy of an object. Callers at the same time or soon after share the copy.
   * @throws Failure NOT_FOUND; ObjectDamaged
   */
  lend<T>(key: string, fn: (path: string) => Promise<T>, expected?: ExpectedBytes): Promise<T>;
}

/**
 * Local copies of objects, for work that needs a file. Verifies the bytes from storage against the hash in the
 * object's metadata, and against that of the record.
 * @param compare throws ObjectDamaged
 */
export function createLocalCopies(
  place: S3Bucket,
  temporary: TemporaryFiles,
  compare: (key: string, expected: ExpectedBytes, found: FoundBytes) => void,
): LocalCopies {
  const copies = new Map<string, LocalCopy>();

  async function fetch(key: string, { tag, sha256 }: S3Facts): LocalCopy['file'] {
    const path = await temporary.newPath();
    try {
      const wanted = { Bucket: place.bucket, Key: place.toObjectName(key), IfMatch: tag };
      const { Body } = await place.own.send(new GetObjectCommand(wanted));
      const handle = await open(path, 'wx', 0o600);
      const options = { maxBytes: Infinity, sync: false };
      const found = await writeBody(handle, Body as Readable, options).finally(() => handle.close());
      if (sha256 !== undefined) compare(key, { sha256 }, found);
      return { path, found };
    } catch (error) {
      await rm(path, { force: true });
      throw isReplaced(error) ? new Failure('INTERNAL', { cause: error }) : diskFailure(error);
    }
  }

  /** A copy of exactly these bytes, marked as used. */
  function take(name: string, key: string, facts: S3Facts): LocalCopy {
    const known = copies.get(name);
    if (known !== undefined) {
      clearTimeout(known.removal);
      known.users += 1;
      return known;
    }
    const copy: LocalCopy = { file: fetch(key, facts), users: 1 };
    copies.set(name, copy);
    // After a failed fetch, the next caller retries.
    copy.file.catch(() => copies.delete(name));
    return copy;
  }

  function giveBack(name: string, copy: LocalCopy): void {
    copy.users -= 1;
    if (copy.users > 0) return;
    copy.removal = setTimeout(() => {
      if (copies.get(name) === copy) copies.delete(name);
      copy.file.then(({ path }) => rm(path, { force: true })).catch(() => undefined);
    }, KEPT_MS);
    copy.removal.unref();
  }

  return {
    async lend(key, fn, expected) {
      const facts = await readFacts(place, key);
      if (facts === undefined) throw new Failure('NOT_FOUND');
      const name = `${key} ${facts.tag}`;
      const copy = take(name, key, facts);
      try {
        const { path, found } = await copy.file;
        if (expected !== undefined) compare(key, expected, found);
        return await fn(path);
      } finally {
        giveBack(name, copy);
      }
    },
  };
}
