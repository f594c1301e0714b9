import { mkdir, rename, rm } from 'node:fs/promises';
import { openFilesystemStore } from '../../src/storage/filesystem/filesystem.ts';
import type { ObjectStore } from '../../src/storage/object-store.ts';
import { markedStorage, watchMarker, writeMarker } from '../../src/storage/marked-storage.ts';
import { namedStorage } from '../../src/storage/storage-trouble.ts';
import type { S3Server } from './s3-server.ts';

/** Storage as the process has it, with a marker that the test writes. @param now milliseconds */
export function marked(store: ObjectStore, now?: () => number): ObjectStore {
  const named = namedStorage(store);
  const marker = watchMarker({ store: named, expectedId: () => Promise.resolve('ours'), ...(now && { now }) });
  return markedStorage(named, marker);
}

/** Files below `root`, with the marker of the instance. */
export async function openMarkedStore(root: string): Promise<ObjectStore> {
  const store = await openFilesystemStore(root);
  await writeMarker(store, 'ours');
  return marked(store);
}

/**
 * Puts an empty folder in the place of a storage folder, as a lost mount does.
 * @returns what mounts the storage again, and discards what was written meanwhile
 */
export async function unmount(root: string): Promise<() => Promise<void>> {
  const away = `${root}-away`;
  await rename(root, away);
  await mkdir(root);
  return async () => {
    await rm(root, { recursive: true, force: true });
    await rename(away, root);
  };
}

/** Puts an empty bucket in the place of a bucket. @returns what puts the bucket back, and discards what was written meanwhile */
export async function emptyBucket(s3: S3Server, bucket: string): Promise<() => Promise<void>> {
  const [root, away] = [s3.folderOf(bucket), s3.folderOf('away')];
  await rename(root, away);
  await rename(s3.folderOf(await s3.createBucket()), root);
  return async () => {
    await rm(root, { recursive: true, force: true });
    await rename(away, root);
  };
}
