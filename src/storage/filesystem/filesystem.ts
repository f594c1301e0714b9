import { createReadStream } from 'node:fs';
import { chmod, link, lstat, open, rename, rm, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { Failure } from '@burnish/contract';
import {
  diskFailure,
  systemErrorCode,
  makeFolder,
  removeEmptyFolders,
  renameInto,
  syncFolder,
  syncToDisk,
  openTemporaryFiles,
  writeBody,
} from './durable-files.ts';
import { createFileHashes, identifyFile, sameBytes, toIdentity, type FileIdentity } from './file-hashes.ts';
import { comparedBody, matches, ObjectDamaged, type FoundBytes, type ReportDamage } from '../integrity.ts';
import type { ObjectStore, StoredObject } from '../object-store.ts';
import { assertObjectKey } from '../../domain/files/object-keys.ts';
import { hashFile } from '../../process/hash-file.ts';

/** Size in bytes up to which an object is hashed again on demand: writing and keeping its facts costs more. */
export const HASHED_AGAIN_BYTES = 262_144;
/** Size in bytes above which a file that is read whole is compared on its way: before its first byte, that would take long. */
const COMPARED_ON_ITS_WAY_BYTES = 32_000_000;

/**
 * Objects as files below `root`: the bytes of key `a/b` in `a/b.object`, the facts of a larger object in `a/b.facts`.
 * File names end in a dot and a word, unlike any key, so that the keys `a/b` and `a/b/c` can coexist.
 */
export async function openFilesystemStore(root: string, report?: ReportDamage): Promise<ObjectStore> {
  const home = resolve(root);
  const hashes = createFileHashes(report);
  await makeFolder(home);
  const temporary = await openTemporaryFiles(join(home, '.temporary'));

  function toPaths(key: string): { object: string; facts: string; folder: string } {
    assertObjectKey(key);
    const base = join(home, ...key.split('/'));
    return { object: `${base}.object`, facts: `${base}.facts`, folder: dirname(base) };
  }

  async function publish(key: string, path: string, { size, sha256 }: FoundBytes): Promise<StoredObject> {
    const { object, facts, folder } = toPaths(key);
    // Read-only, since copies share their bytes through hard links.
    await chmod(path, 0o400);
    const identity = (await identifyFile(path))!;
    if (size > HASHED_AGAIN_BYTES) {
      try {
        await makeFolder(folder);
        await writeFacts(facts, await temporary.newPath(), { ...identity, sha256 });
      } catch (error) {
        // A concurrent delete may remove the empty folder; missing facts are computed on demand.
        if (systemErrorCode(error) !== 'ENOENT') throw error;
      }
    }
    await renameInto(path, object);
    await syncFolder(folder);
    return { key, size, sha256 };
  }

  /** Publishes bytes that this process has just hashed, so that they need no reading soon after. */
  async function publishHashed(key: string, path: string, hash: FoundBytes): Promise<StoredObject> {
    const written = (await identifyFile(path))!;
    const stored = await publish(key, path, hash);
    const { object } = toPaths(key);
    const published = await identifyFile(object);
    // Another put of the key may have replaced the file.
    if (published !== undefined && sameBytes(written, published)) hashes.note(object, published, hash.sha256);
    return stored;
  }

  const store: ObjectStore = {
    async put(key, body, options) {
      toPaths(key);
      const path = await temporary.newPath();
      try {
        const handle = await open(path, 'wx', 0o600);
        const hash = await writeBody(handle, body, options).finally(() => handle.close());
        return await publishHashed(key, path, hash);
      } catch (error) {
        await rm(path, { force: true });
        throw diskFailure(error);
      }
    },

    async putFile(key, path) {
      toPaths(key);
      const stats = await lstat(path);
      if (!stats.isFile()) throw new Error('Expected a plain file to store.');
      try {
        const handle = await open(path, 'r');
        await syncToDisk(handle).finally(() => handle.close());
        return await publishHashed(key, path, { size: stats.size, sha256: await hashFile(path) });
      } catch (error) {
        if (systemErrorCode(error) !== 'EXDEV') throw diskFailure(error);
        const stored = await store.put(key, createReadStream(path), { maxBytes: Infinity });
        await rm(path);
        return stored;
      }
    },

    async get(key, range, expected): Promise<Readable> {
      const { object } = toPaths(key);
      const handle = await openObject(object);
      try {
        const identity = toIdentity(await handle.stat({ bigint: true }));
        const { size } = identity;
        if (expected !== undefined) {
          const isLong = range === undefined && size > COMPARED_ON_ITS_WAY_BYTES && size === (expected.size ?? size);
          if (isLong && hashes.recall(object, identity) === undefined) {
            return comparedBody(handle.createReadStream(), (found) => {
              hashes.note(object, identity, found.sha256);
              if (matches(expected, found)) return;
              // Confirmed and reported by another reading.
              void hashes.compare(key, object, expected).catch(() => undefined);
              throw new ObjectDamaged(key, expected, found);
            });
          }
          await hashes.compare(key, object, expected);
        }
        if (range !== undefined && !(range.start >= 0 && range.start <= range.end && range.start < size))
          throw new Failure('BAD_USER_INPUT', {
            detail: 'The range lies outside of the file. Request bytes within its size.',
          });
        return handle.createReadStream(range);
      } catch (error) {
        await handle.close();
        throw error;
      }
    },

    async head(key) {
      const { object, facts } = toPaths(key);
      const identity = await identifyFile(object);
      if (identity === undefined) return undefined;
      const { size } = identity;
      const known = size > HASHED_AGAIN_BYTES ? await readFacts(facts, identity) : undefined;
      if (known !== undefined) return { key, size, sha256: known.sha256 };
      const found = await hashes.of(key, object);
      if (found === undefined) return undefined;
      if (found.size > HASHED_AGAIN_BYTES && found.size === size)
        await writeFacts(facts, await temporary.newPath(), { ...identity, ...found }).catch(() => undefined);
      return { key, ...found };
    },

    async copy(from, to, { verify = false, expected } = {}) {
      toPaths(to);
      if (expected !== undefined) await hashes.compare(from, toPaths(from).object, expected);
      const source = await store.head(from);
      if (source === undefined) throw new Failure('NOT_FOUND');
      const linked = await temporary.newPath();
      try {
        await link(toPaths(from).object, linked);
        if (verify) return await publishHashed(to, linked, { ...source, sha256: await hashFile(linked) });
        return await (expected === undefined ? publish : publishHashed)(to, linked, source);
      } catch (error) {
        if (!['EPERM', 'EXDEV', 'EMLINK', 'ENOTSUP'].includes(systemErrorCode(error) ?? '')) throw diskFailure(error);
        return await store.put(to, await store.get(from), { maxBytes: source.size });
      } finally {
        await rm(linked, { force: true });
      }
    },

    async delete(key) {
      const { object, facts, folder } = toPaths(key);
      await rm(object, { force: true });
      await rm(facts, { force: true });
      await removeEmptyFolders(folder, home);
    },

    async deletePrefix(prefix) {
      assertObjectKey(prefix);
      const folder = join(home, ...prefix.split('/'));
      const discarded = await temporary.newPath();
      try {
        // Renames the folder first, so that all objects disappear at once. After a crash the next sweep deletes the
        // rest.
        await rename(folder, discarded);
      } catch (error) {
        if (systemErrorCode(error) !== 'ENOENT') throw error;
        return;
      }
      await rm(discarded, { recursive: true });
      await removeEmptyFolders(dirname(folder), home);
    },

    async withLocalFile(key, fn, expected) {
      const { object } = toPaths(key);
      if (expected !== undefined) await hashes.compare(key, object, expected);
      if ((await identifyFile(object)) === undefined) throw new Failure('NOT_FOUND');
      return await fn(object);
    },

    async place() {
      const { dev, ino } = await stat(home, { bigint: true });
      return `${dev}:${ino}`;
    },

    // Processes of this machine are checked at every start; those of others expire after a day.
    sweepUnfinished: () => temporary.sweep(),
  };
  return store;
}

async function openObject(path: string): Promise<Awaited<ReturnType<typeof open>>> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw systemErrorCode(error) === 'ENOENT' ? new Failure('NOT_FOUND') : error;
  }
}

/**
 * Facts stored next to an object's file, so that its hash is known without a second read. The inode and the
 * modification time identify the file. After a crash between the two renames, or concurrent puts of one key, they do
 * not match, and the hash is computed again.
 */
const factsSchema = z.object({
  size: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  inode: z.string(),
  modifiedNs: z.string(),
});
type ObjectFacts = z.infer<typeof factsSchema>;

async function readFacts(path: string, file: FileIdentity): Promise<ObjectFacts | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const facts = factsSchema.safeParse(parseJson(text)).data;
  const fits = facts?.size === file.size && facts.inode === file.inode && facts.modifiedNs === file.modifiedNs;
  return fits ? facts : undefined;
}

/** Writes facts to `path` through `temporary`. A loss of power may leave other facts, which fit no file. */
async function writeFacts(
  path: string,
  temporary: string,
  { size, sha256, inode, modifiedNs }: ObjectFacts,
): Promise<void> {
  try {
    const facts = { size, sha256, inode, modifiedNs } satisfies ObjectFacts;
    await writeFile(temporary, JSON.stringify(facts), { flag: 'wx', mode: 0o600 });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
