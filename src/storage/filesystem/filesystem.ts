import { createReadStream } from 'node:fs';
import { chmod, link, lstat, open, rename, rm, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { Failure } from '../../domain/failures.ts';
import {
  diskFailure,
  systemErrorCode,
  makeFolder,
  removeEmptyFolders,
  renameInto,
  syncFolder,
  openTemporaryFiles,
  writeBody,
} from './durable-files.ts';
import type { ObjectStore, StoredObject } from '../object-store.ts';
import { assertObjectKey } from '../../domain/files/object-keys.ts';
import { hashFile } from '../../process/hash-file.ts';

/** Size in bytes up to which an object is hashed again on demand: writing and keeping its facts costs more. */
export const HASHED_AGAIN_BYTES = 262_144;

/**
 * Objects as files below `root`: the bytes of key `a/b` in `a/b.object`, the facts of a larger object in `a/b.facts`.
 * File names end in a dot and a word, unlike any key, so that the keys `a/b` and `a/b/c` can coexist.
 */
export async function openFilesystemStore(root: string): Promise<ObjectStore> {
  const home = resolve(root);
  await makeFolder(home);
  const temporary = await openTemporaryFiles(join(home, '.temporary'));

  function toPaths(key: string): { object: string; facts: string; folder: string } {
    assertObjectKey(key);
    const base = join(home, ...key.split('/'));
    return { object: `${base}.object`, facts: `${base}.facts`, folder: dirname(base) };
  }

  async function publish(key: string, path: string, { size, sha256 }: FileHash): Promise<StoredObject> {
    const { object, facts, folder } = toPaths(key);
    // Read-only, since copies share their bytes through hard links.
    await chmod(path, 0o400);
    if (size > HASHED_AGAIN_BYTES) {
      const identity = (await identifyFile(path))!;
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

  const store: ObjectStore = {
    async put(key, body, options) {
      toPaths(key);
      const path = await temporary.newPath();
      try {
        const handle = await open(path, 'wx', 0o600);
        const hash = await writeBody(handle, body, options).finally(() => handle.close());
        return await publish(key, path, hash);
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
        await handle.sync().finally(() => handle.close());
        return await publish(key, path, { size: stats.size, sha256: await hashFile(path) });
      } catch (error) {
        if (systemErrorCode(error) !== 'EXDEV') throw diskFailure(error);
        const stored = await store.put(key, createReadStream(path), { maxBytes: Infinity });
        await rm(path);
        return stored;
      }
    },

    async get(key, range): Promise<Readable> {
      const handle = await openObject(toPaths(key).object);
      const { size } = await handle.stat();
      if (range !== undefined && !(range.start >= 0 && range.start <= range.end && range.start < size)) {
        await handle.close();
        throw new Failure('BAD_USER_INPUT', { detail: 'The range lies outside of the file.' });
      }
      return handle.createReadStream(range);
    },

    async head(key) {
      const { object, facts } = toPaths(key);
      const identity = await identifyFile(object);
      if (identity === undefined) return undefined;
      const { size } = identity;
      const known = await readFacts(facts, identity);
      if (known !== undefined) return { key, size, sha256: known.sha256 };
      const sha256 = await hashFile(object);
      const after = await identifyFile(object);
      // A put or delete happened in between: the hash may belong to other bytes.
      if (after?.inode !== identity.inode || after.modifiedNs !== identity.modifiedNs) return await store.head(key);
      if (size > HASHED_AGAIN_BYTES)
        await writeFacts(facts, await temporary.newPath(), { ...identity, sha256 }).catch(() => undefined);
      return { key, size, sha256 };
    },

    async copy(from, to, { verify = false } = {}) {
      toPaths(to);
      const source = await store.head(from);
      if (source === undefined) throw new Failure('NOT_FOUND');
      const linked = await temporary.newPath();
      try {
        await link(toPaths(from).object, linked);
        return await publish(to, linked, verify ? { ...source, sha256: await hashFile(linked) } : source);
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

    async withLocalFile(key, fn) {
      const { object } = toPaths(key);
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
type FileIdentity = Omit<ObjectFacts, 'sha256'>;
type FileHash = Pick<ObjectFacts, 'size' | 'sha256'>;

/** Identifies the bytes of a file; undefined when there is no such file. */
async function identifyFile(path: string): Promise<FileIdentity | undefined> {
  try {
    const stats = await stat(path, { bigint: true });
    return { size: Number(stats.size), inode: String(stats.ino), modifiedNs: String(stats.mtimeNs) };
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function readFacts(path: string, file: FileIdentity): Promise<ObjectFacts | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const facts = factsSchema.safeParse(parseJson(text)).data;
  const fits = facts?.size === file.size && facts.inode === file.inode && facts.modifiedNs === file.modifiedNs;
  return fits ? facts : undefined;
}

/** Writes facts to `path` through `temporary`. A loss of power may leave other facts, which fit no file. */
async function writeFacts(path: string, temporary: string, facts: ObjectFacts): Promise<void> {
  try {
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
