import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createLeases } from '../../src/database/leases.ts';
import { createStorageMarkers } from '../../src/database/storage-markers.ts';
import { leases } from '../../src/database/schema/upload-starts.ts';
import { storageMarkers } from '../../src/database/schema/instance.ts';
import { markStorage } from '../../src/runtime/mark-storage.ts';
import { openFilesystemStore } from '../../src/storage/filesystem/filesystem.ts';
import type { ObjectStore } from '../../src/storage/object-store.ts';
import { openObjectStore } from '../../src/storage/open-object-store.ts';
import { readMarker, watchMarker, writeMarker } from '../../src/storage/marked-storage.ts';
import { namedStorage } from '../../src/storage/storage-trouble.ts';
import { DATABASES, type TestDatabase } from '../database/databases.ts';
import { emptyBucket, unmount } from '../support/marked-store.ts';
import { startS3Server, type S3Server } from '../support/s3-server.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
  Object.assign(process.env, s3.env);
});
afterAll(async () => await s3?.[Symbol.asyncDispose]());

describe.each(DATABASES)('the start of a process, with %s,', (_name, openDatabase) => {
  let db: TestDatabase;
  let folder: TemporaryFolder;
  let root: string;

  beforeAll(async () => {
    db = await openDatabase();
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.database.orm.delete(storageMarkers);
    await db.database.orm.delete(leases);
    folder = await temporaryFolder();
    root = join(folder.path, 'objects');
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const markers = () => createStorageMarkers(db.database);

  /** Starts one process. `waited` has the sentences about storage that is away. */
  function start(store: ObjectStore, accepted: string | null = null) {
    const named = namedStorage(store);
    const expectedId = async (): Promise<string> => (await markers().expected()).id;
    const marker = watchMarker({ store: named, expectedId });
    const at = { store: named, marker, markers: markers(), leases: createLeases(db.database) };
    const stopping = new AbortController();
    const waited: string[] = [];
    let tell = (_sentence: string): void => undefined;
    const waits = new Promise<string>((resolve) => (tell = resolve));
    const onWait = (sentence: string): void => {
      waited.push(sentence);
      tell(sentence);
    };
    const ready = markStorage(at, { accepted, onWait, signal: stopping.signal, pauseMs: 20 });
    const stop = async (): Promise<void> => {
      stopping.abort();
      await ready.catch(() => undefined);
    };
    return { ready, waits, waited, stop };
  }

  test('marks the storage of a new instance, by whichever of ten processes is first', async () => {
    const starts = await Promise.all(Array.from({ length: 10 }, async () => start(await openFilesystemStore(root))));
    await Promise.all(starts.map(({ ready }) => ready));
    const { id, isWritten } = await markers().expected();
    expect(isWritten).toBe(true);
    expect(await readMarker(await openFilesystemStore(root))).toBe(id);
  });

  /** Storage that opens again, and what takes its content away. */
  const STORAGES = {
    'a lost mount': async () => ({ open: () => openFilesystemStore(root), takeAway: () => unmount(root) }),
    'an emptied bucket': async () => {
      const bucket = await s3.createBucket();
      const settings = { storage: `s3://${bucket}`, s3: { publicUrl: null, pathStyle: null } };
      const open = () => openObjectStore({ ...settings, scratchDir: folder.path, environment: process.env });
      return { open, takeAway: () => emptyBucket(s3, bucket) };
    },
  };

  test.each(['a lost mount', 'an emptied bucket'] as const)(
    'waits for %s, says what to do, writes nothing there, and continues after its return',
    async (kind) => {
      const { open, takeAway } = await STORAGES[kind]();
      const store = await open();
      await start(store).ready;
      const remount = await takeAway();
      const second = start(await open());
      const { id } = await markers().expected();
      expect(await second.waits).toBe(
        'Storage carries no marker of this instance: it is not mounted, is empty, or is another one. ' +
          'The start waits: mount the storage, or correct BURNISH_STORAGE. ' +
          `To accept this storage without the files of the other, restart with BURNISH_STORAGE_ACCEPT=${id}.`,
      );
      expect(await readMarker(store)).toBeUndefined();
      await remount();
      await second.ready;
      // A bucket is away for a moment before it is back, which is another sentence.
      expect(second.waited.filter((sentence) => sentence.startsWith('Storage carries no marker'))).toHaveLength(1);
    },
  );

  test('waits for the storage of another instance', async () => {
    const store = await openFilesystemStore(root);
    await writeMarker(store, 'theirs');
    const started = start(store);
    expect(await started.waits).toMatch(/^Storage carries the marker of another instance\./);
    expect(await readMarker(store)).toBe('theirs');
    await started.stop();
  });

  test('accepts other storage once, and gives up the earlier one', async () => {
    const first = await openFilesystemStore(root);
    await start(first).ready;
    const { id } = await markers().expected();
    const second = await openFilesystemStore(join(folder.path, 'restored'));
    await start(second, id).ready;
    const accepted = await markers().expected();
    expect(accepted.id).not.toBe(id);
    expect(await readMarker(second)).toBe(accepted.id);
    // The same setting at a later start with the wrong storage changes nothing.
    const third = await openFilesystemStore(join(folder.path, 'empty'));
    for (const store of [first, third]) {
      const refused = start(store, id);
      await refused.waits;
      await refused.stop();
    }
    expect(await readMarker(third)).toBeUndefined();
    expect(await readMarker(first)).toBe(id);
  });

  test('ends where the storage of a new instance cannot be written', async () => {
    const store = await openFilesystemStore(root);
    const put = (): Promise<never> => Promise.reject(Object.assign(new Error('denied'), { code: 'EACCES' }));
    await expect(start({ ...store, put }).ready).rejects.toThrow(
      'Storage cannot be written (EACCES). Correct BURNISH_STORAGE, or the permissions there.',
    );
  });
});
