import { execFile } from 'node:child_process';
import { link, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openFilesystemStore } from '../../src/storage/filesystem/filesystem.ts';
import { objectStoreContract } from './object-store-contract.ts';
import { chunks, readAll, sha256 } from './bodies.ts';
import { LACKS_LINUX, testUnless } from '../support/needs.ts';

const MAX = { maxBytes: 1_000_000 };
const script = (name: string): string[] => ['--import', 'tsx', join(import.meta.dirname, name)];

objectStoreContract('file system', async () => {
  const root = await mkdtemp(join(tmpdir(), 'burnish-store-'));
  return { store: await openFilesystemStore(root), close: () => rm(root, { recursive: true }) };
});

describe('the file system store', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'burnish-store-'));
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  /** Every file of the store, temporary ones included. */
  const leftovers = async (): Promise<string[]> => {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  };

  it('leaves no file after a body that is too long, fails or is aborted', async () => {
    const store = await openFilesystemStore(root);
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1000);
      throw new Error('gone');
    }
    await store.put('a/b', chunks('12'), { maxBytes: 1 }).catch(() => undefined);
    await store.put('a/b', failing(), MAX).catch(() => undefined);
    await store.put('a/b', chunks('1'), { ...MAX, signal: AbortSignal.abort() }).catch(() => undefined);
    expect(await leftovers()).toEqual([]);
  });

  it('removes empty folders after a delete, and keeps the root', async () => {
    const store = await openFilesystemStore(root);
    await store.put('acc/upl/one', chunks('1'), MAX);
    await store.put('acc/other', chunks('2'), MAX);
    await store.delete('acc/upl/one');
    expect((await readdir(join(root, 'acc'))).sort()).toEqual(['other.object']);
    await store.delete('acc/other');
    expect(await readdir(root)).toEqual(['.temporary']);
  });

  it('copies by hard link, without a second set of bytes', async () => {
    const store = await openFilesystemStore(root);
    await store.put('a/one', chunks('bytes'), MAX);
    await store.copy('a/one', 'a/two');
    expect((await stat(join(root, 'a/two.object'))).nlink).toBe(2);
  });

  it('makes objects readable only by their owner and writable by nobody', async () => {
    const store = await openFilesystemStore(root);
    await store.put('a/one', chunks('bytes'), MAX);
    expect((await stat(join(root, 'a/one.object'))).mode & 0o777).toBe(0o400);
    expect((await stat(join(root, 'a'))).mode & 0o777).toBe(0o700);
  });

  it('moves a file without copying it, and refuses a link', async () => {
    const store = await openFilesystemStore(root);
    const path = join(root, 'engine-output');
    await writeFile(path, 'result');
    const { ino } = await stat(path);
    await symlink(path, join(root, 'link'));
    await expect(store.putFile('a/b', join(root, 'link'))).rejects.toThrow('plain file');
    await store.putFile('a/b', path);
    expect((await stat(join(root, 'a/b.object'))).ino).toBe(ino);
  });

  testUnless(LACKS_LINUX)('copies a file from another device', async () => {
    const store = await openFilesystemStore(root);
    const elsewhere = await mkdtemp(join('/dev/shm', 'burnish-'));
    try {
      const path = join(elsewhere, 'result');
      await writeFile(path, 'result');
      const stored = await store.putFile('a/b', path);
      expect(stored).toMatchObject({ size: 6, sha256: sha256(Buffer.from('result')) });
      expect(await store.head('a/b')).toEqual(stored);
      expect(await readdir(elsewhere)).toEqual([]);
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });

  it('streams 200 MB in and out with flat memory', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [...script('stream-through.ts'), root, '200000000']);
    const { size, read, growth } = JSON.parse(stdout) as Record<string, number>;
    expect([size, read]).toEqual([200_000_000, 200_000_000]);
    expect(growth).toBeLessThan(80_000_000);
  }, 60_000);

  it('reads a hard-linked copy after its original folder is deleted', async () => {
    const store = await openFilesystemStore(root);
    await store.put('a/u/one', chunks('bytes'), MAX);
    await store.copy('a/u/one', 'b/two');
    await store.deletePrefix('a');
    expect((await readAll(await store.get('b/two'))).toString()).toBe('bytes');
    await link(join(root, 'b/two.object'), join(root, 'outside'));
    expect(await readFile(join(root, 'outside'), 'utf8')).toBe('bytes');
  });
});
