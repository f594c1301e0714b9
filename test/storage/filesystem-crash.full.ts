import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { HASHED_AGAIN_BYTES, openFilesystemStore } from '../../src/storage/filesystem/filesystem.ts';
import { writeBody } from '../../src/storage/filesystem/durable-files.ts';
import { chunks, sha256 } from './bodies.ts';
import { LACKS_LINUX, testUnless } from '../support/needs.ts';

const MAX = { maxBytes: 1_000_000 };
/** An object with facts. */
const large = (word: string): Buffer => Buffer.alloc(HASHED_AGAIN_BYTES + 1, word);
const script = (name: string): string[] => ['--import', 'tsx', join(import.meta.dirname, name)];

describe('the file system store after faults', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'burnish-store-'));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(root, { recursive: true, force: true });
  });

  /** Every file of the store, temporary ones included. */
  const leftovers = async (): Promise<string[]> => {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  };

  it('reads hash and size from the facts, without reading the object', async () => {
    const store = await openFilesystemStore(root);
    const stored = await store.put('a/b', chunks(large('bytes')), MAX);
    const facts = JSON.parse(await readFile(join(root, 'a/b.facts'), 'utf8')) as Record<string, unknown>;
    expect(facts).toMatchObject({ size: HASHED_AGAIN_BYTES + 1, sha256: stored.sha256 });
    await chmod(join(root, 'a/b.facts'), 0o600);
    await writeFile(join(root, 'a/b.facts'), JSON.stringify({ ...facts, sha256: 'f'.repeat(64) }));
    expect(await store.head('a/b')).toMatchObject({ sha256: 'f'.repeat(64) });
  });

  it('keeps no facts of a small object, and hashes it again', async () => {
    const store = await openFilesystemStore(root);
    await store.put('a/b', chunks('bytes'), MAX);
    expect(await store.head('a/b')).toMatchObject({ size: 5, sha256: sha256(Buffer.from('bytes')) });
    expect(await leftovers()).toEqual(['b.object']);
  });

  it('computes the hash again if a crash left no facts, partial facts or those of another put', async () => {
    const store = await openFilesystemStore(root);
    const older = await store.put('a/b', chunks(large('older')), MAX);
    await store.put('a/c', chunks(large('newer')), MAX);
    for (const damage of [
      () => rename(join(root, 'a/c.facts'), join(root, 'a/b.facts')),
      () => rm(join(root, 'a/b.facts')),
      () => writeFile(join(root, 'a/b.facts'), '{"size":262145,"sha'),
    ]) {
      await damage();
      expect(await store.head('a/b')).toEqual(older);
      expect(JSON.parse(await readFile(join(root, 'a/b.facts'), 'utf8'))).toMatchObject({ sha256: older.sha256 });
    }
  });

  it('treats an object as absent if a crash preceded its rename, and stores it at the next put', async () => {
    const store = await openFilesystemStore(root);
    await store.put('a/b', chunks('bytes'), MAX);
    await rm(join(root, 'a/b.object'));
    expect(await store.head('a/b')).toBeUndefined();
    await expect(store.get('a/b')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const again = await store.put('a/b', chunks('bytes again'), MAX);
    expect(await store.head('a/b')).toEqual(again);
  });

  it('has every object when it is opened again', async () => {
    const stored = await (await openFilesystemStore(root)).put('a/b', chunks('bytes'), MAX);
    expect(await (await openFilesystemStore(root)).head('a/b')).toEqual(stored);
  });

  it('reports a full disk and keeps nothing', async () => {
    const store = await openFilesystemStore(root);
    const probe = await open(join(root, 'probe'), 'w');
    const prototype = Object.getPrototypeOf(probe) as typeof probe;
    await probe.close();
    await rm(join(root, 'probe'));
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    jest.spyOn(prototype, 'write').mockRejectedValueOnce(full);
    await expect(store.put('a/b', chunks('x'), MAX)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'The disk is full.',
    });
    jest.spyOn(prototype, 'sync').mockRejectedValueOnce(full);
    await expect(store.put('a/b', chunks('x'), MAX)).rejects.toThrow('The disk is full.');
    expect(await leftovers()).toEqual([]);
    expect(await store.head('a/b')).toBeUndefined();
    expect(await store.put('a/b', chunks('x'), MAX)).toMatchObject({ size: 1 });
  });

  testUnless(LACKS_LINUX)('gets the same error from a device that is really full', async () => {
    const handle = await open('/dev/full', 'w');
    await expect(writeBody(handle, chunks('x'), MAX)).rejects.toMatchObject({ code: 'ENOSPC' });
    await handle.close();
  });

  it('shows nothing of a put whose process was killed, and sweeps its temporary file at the next open', async () => {
    const child = spawn(process.execPath, [...script('put-forever.ts'), root], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const whileAlive = await openFilesystemStore(root);
    const temporary = (await leftovers()).length;
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(temporary).toBe(1);
    expect(await whileAlive.head('acc_x/upl_y/original')).toBeUndefined();
    expect(await leftovers()).toHaveLength(1);
    await openFilesystemStore(root);
    expect(await leftovers()).toEqual([]);
    expect(await readdir(join(root, '.temporary'))).toEqual([]);
  });

  it('keeps the temporary files of another machine for a day', async () => {
    const foreign = join(root, '.temporary', '0123456789abcdef-7-1234');
    await mkdir(foreign, { recursive: true });
    await writeFile(join(foreign, 'part'), 'x');
    await openFilesystemStore(root);
    expect(await leftovers()).toEqual(['part']);
    const twoDaysAgo = new Date(Date.now() - 48 * 3600 * 1000);
    await utimes(join(foreign, 'part'), twoDaysAgo, twoDaysAgo);
    await utimes(foreign, twoDaysAgo, twoDaysAgo);
    await openFilesystemStore(root);
    expect(await leftovers()).toEqual([]);
  });

  it('sweeps the files of a process whose id is reused', async () => {
    const store = await openFilesystemStore(root);
    await store.put('a/b', chunks('x'), MAX);
    const [own] = await readdir(join(root, '.temporary'));
    const [host, pid] = own!.split('-');
    await mkdir(join(root, '.temporary', `${host}-${pid}-1`));
    await openFilesystemStore(root);
    expect(await readdir(join(root, '.temporary'))).toEqual([own]);
  });
});
