import { readdir, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { failedMachinery } from '../../src/domain/failed-machinery.ts';
import { openFilesystemStore } from '../../src/storage/filesystem/filesystem.ts';
import type { ObjectStore } from '../../src/storage/object-store.ts';
import { openObjectStore } from '../../src/storage/open-object-store.ts';
import { MARKER_KEY, watchMarker, writeMarker } from '../../src/storage/marked-storage.ts';
import { createGate } from '../support/gate.ts';
import { marked, unmount } from '../support/marked-store.ts';
import { startS3Server, type S3Server } from '../support/s3-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { chunks, readAll } from './bodies.ts';
import { objectStoreContract } from './object-store-contract.ts';

const MAX = { maxBytes: 1_000_000 };
const PREFIX = 'acc/upl';
const KEY = `${PREFIX}/original`;

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server();
  Object.assign(process.env, server.env);
});
afterAll(async () => await server?.[Symbol.asyncDispose]());

/** Storage that a test can take away. */
interface Removable {
  store: ObjectStore;
  /** Takes storage away in this way, and returns what brings it back. */
  takeAway(way: string): Promise<() => Promise<void>>;
  /** Objects in what stands in the place of storage */
  written(): Promise<string[]>;
  close(): Promise<void>;
}

async function folderStorage(): Promise<Removable> {
  const folder = await temporaryFolder();
  const root = join(folder.path, 'objects');
  const raw = await openFilesystemStore(root);
  await writeMarker(raw, 'ours');
  return {
    store: marked(raw),
    async takeAway(way) {
      const remount = await unmount(root);
      if (way === 'the folder is gone') await rmdir(root);
      if (way === 'another instance') await writeMarker(raw, 'theirs');
      return remount;
    },
    async written() {
      const entries = await readdir(root, { recursive: true }).catch(() => []);
      return entries.filter((name) => name.endsWith('.object') && !name.startsWith('instance'));
    },
    close: () => folder[Symbol.asyncDispose](),
  };
}

/** Another bucket answers in the place of the first one, as after a wrong setting of a proxy. */
async function bucketStorage(): Promise<Removable> {
  const scratch = await temporaryFolder();
  const open = async (): Promise<{ bucket: string; store: ObjectStore }> => {
    const bucket = await server.createBucket();
    const s3 = { publicUrl: null, pathStyle: null };
    const settings = { storage: `s3://${bucket}/some/where`, s3, scratchDir: scratch.path, environment: process.env };
    return { bucket, store: await openObjectStore(settings) };
  };
  const [own, other] = [await open(), await open()];
  await writeMarker(own.store, 'ours');
  let present = own.store;
  let nowMs = 0;
  const raw = new Proxy(own.store, { get: (_, name) => Reflect.get(present, name) as unknown });
  return {
    store: marked(raw, () => nowMs),
    async takeAway(way) {
      nowMs += 2_000;
      if (way === 'emptied') await own.store.delete(MARKER_KEY);
      else present = other.store;
      if (way === 'another instance') await writeMarker(other.store, 'theirs');
      return async () => {
        if (way === 'emptied') await writeMarker(own.store, 'ours');
        present = own.store;
      };
    },
    async written() {
      const files = await server.filesOf(other.bucket);
      return files.filter((path) => !path.includes('/instance/'));
    },
    close: () => scratch[Symbol.asyncDispose](),
  };
}

objectStoreContract('file system with a marker', async () => {
  const { store, close } = await folderStorage();
  return { store, close };
});
objectStoreContract('S3 with a marker', async () => {
  const { store, close } = await bucketStorage();
  return { store, close };
});

describe.each([
  ['a folder', folderStorage, 'an empty folder'],
  ['a folder', folderStorage, 'the folder is gone'],
  ['a folder', folderStorage, 'another instance'],
  ['a bucket', bucketStorage, 'an empty bucket'],
  ['a bucket', bucketStorage, 'another instance'],
  ['a bucket', bucketStorage, 'emptied'],
])('%s that is away: %s %s', (_what, open, way) => {
  const isStorageTrouble = async (work: Promise<unknown>): Promise<boolean> =>
    work.then(
      () => false,
      (error: unknown) => failedMachinery(error) === 'storage',
    );

  it('refuses every statement about an object and every write, and takes both once it is back', async () => {
    const storage = await open();
    const { store } = storage;
    try {
      await store.put(KEY, chunks('bytes'), MAX);
      const giveBack = await storage.takeAway(way);
      const missing = `${PREFIX}/none`;
      await using files = await temporaryFolder();
      const local = join(files.path, 'finished');
      await writeFile(local, 'result');
      const refused = await Promise.all(
        [
          store.get(missing),
          store.head(missing),
          store.withLocalFile(missing, () => Promise.resolve()),
          store.copy(missing, `${PREFIX}/copy`),
          store.put(`${PREFIX}/new`, chunks('new'), MAX),
          store.putFile(`${PREFIX}/result`, local),
          store.delete(missing),
          store.deletePrefix('acc/other'),
          store.signPut?.(missing, { size: 1, type: 'image/png', signedAtMs: Date.now(), validMs: 1000 }) ??
            Promise.reject(Object.assign(new Error('none'), { machinery: 'storage' })),
        ].map(isStorageTrouble),
      );
      expect(refused).toEqual(refused.map(() => true));
      expect(await storage.written()).toEqual([]);
      // A retry of the caller needs the file.
      expect((await stat(local)).size).toBe(6);

      await giveBack();
      expect((await readAll(await store.get(KEY))).toString()).toBe('bytes');
      await store.putFile(`${PREFIX}/result`, local);
      expect(await store.head(missing)).toBeUndefined();
      await store.deletePrefix(PREFIX);
      expect(await store.head(KEY)).toBeUndefined();
    } finally {
      await storage.close();
    }
  });
});

describe('storage with its marker', () => {
  it('proves that a single object is gone', async () => {
    const storage = await folderStorage();
    try {
      await expect(storage.store.get(KEY)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(storage.store.withLocalFile(KEY, () => Promise.resolve())).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    } finally {
      await storage.close();
    }
  });

  it('passes on the error of work on a local file, even one that sounds like a missing object', async () => {
    const storage = await folderStorage();
    try {
      await storage.store.put(KEY, chunks('bytes'), MAX);
      let runs = 0;
      const work = (): Promise<void> => {
        runs += 1;
        return Promise.reject(Object.assign(new Error('no such image'), { code: 'NOT_FOUND' }));
      };
      await expect(storage.store.withLocalFile(KEY, work)).rejects.toThrow('no such image');
      expect(runs).toBe(1);
    } finally {
      await storage.close();
    }
  });

  it.each([
    ['folder', folderStorage, 'an empty folder'],
    ['bucket', bucketStorage, 'an empty bucket'],
    ['bucket', bucketStorage, 'emptied'],
  ])('refuses a write whose %s was replaced before its end (%#)', async (_what, open, way) => {
    const storage = await open();
    try {
      async function* body(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('first');
        await storage.takeAway(way);
        yield Buffer.from('second');
      }
      await expect(storage.store.put(KEY, body(), MAX)).rejects.toMatchObject({ machinery: 'storage' });
    } finally {
      await storage.close();
    }
  });

  it('reads the marker once for the writes of a second, and for concurrent proofs', async () => {
    await using folder = await temporaryFolder();
    const raw = await openFilesystemStore(folder.path);
    await writeMarker(raw, 'ours');
    let reads = 0;
    const counted: ObjectStore = {
      ...raw,
      get: (key, range) => {
        if (key === MARKER_KEY) reads += 1;
        return raw.get(key, range);
      },
    };
    let nowMs = 0;
    const store = marked(counted, () => nowMs);
    for (const name of ['a', 'b', 'c']) await store.put(`${PREFIX}/${name}`, chunks(name), MAX);
    expect(reads).toBe(1);
    nowMs = 1_000;
    await store.put(`${PREFIX}/d`, chunks('d'), MAX);
    expect(reads).toBe(2);
    reads = 0;
    await Promise.all(Array.from({ length: 50 }, (_, index) => store.head(`${PREFIX}/none-${index}`)));
    expect(reads).toBeLessThan(20);
  });

  it('sees the marker of a service for a hundred writes at once, while one is slow and one breaks off', async () => {
    await using folder = await temporaryFolder();
    const { place: _, ...service } = await openFilesystemStore(folder.path);
    await writeMarker(service, 'ours');
    let reads = 0;
    const get: ObjectStore['get'] = (key, range) => {
      if (key === MARKER_KEY) reads += 1;
      return service.get(key, range);
    };
    const store = marked({ ...service, get });
    const gate = createGate();
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('slow');
      await gate.opened;
    }
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('broken');
      throw new Error('The sender is gone.');
    }
    const slowest = store.put(`${PREFIX}/slow`, slow(), MAX);
    const refused = expect(store.put(`${PREFIX}/broken`, broken(), MAX)).rejects.toThrow('The sender is gone.');
    const names = Array.from({ length: 98 }, (__, index) => `${PREFIX}/calm-${index}`);
    await Promise.all(names.map((name) => store.put(name, chunks(name), MAX)));
    await refused;
    gate.open();
    await slowest;
    for (const name of [...names, `${PREFIX}/slow`]) expect(await store.head(name)).toBeDefined();
    expect(await store.head(`${PREFIX}/broken`)).toBeUndefined();
    expect(reads).toBeLessThan(100);
  });

  it('follows the id of the database once storage carries another one', async () => {
    await using folder = await temporaryFolder();
    const raw = await openFilesystemStore(folder.path);
    await writeMarker(raw, 'first');
    let id = 'first';
    let nowMs = 0;
    const watch = watchMarker({ store: raw, expectedId: () => Promise.resolve(id), now: () => nowMs });
    await watch.look();
    [id, nowMs] = ['second', 60_000];
    await expect(watch.look()).rejects.toThrow('Storage carries the marker of another instance.');
    await writeMarker(raw, 'second');
    await watch.look();
  });
});
