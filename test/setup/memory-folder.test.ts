import { execFile } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';

const { memoryFolder } = (await import(join(repositoryRoot, 'scripts', 'memory-folder.mjs'))) as {
  memoryFolder(place?: string, enough?: number): string | undefined;
};
const IN_MEMORY = '/dev/shm';

test('no folder is made in a place that is absent, too small, or not a folder', async () => {
  expect(memoryFolder('/nowhere')).toBeUndefined();
  expect(memoryFolder(import.meta.dirname, 2 ** 60)).toBeUndefined();
  expect((await readdir(import.meta.dirname)).filter((name) => name.startsWith('burnish-'))).toEqual([]);
});

test('every user may make files in the folder, and run them', async () => {
  const place = existsSync(IN_MEMORY) ? IN_MEMORY : import.meta.dirname;
  const { bavail, bsize } = statfsSync(place);
  const folder = memoryFolder(place, Math.min(1, bavail * bsize));
  // A container may refuse programs there.
  if (folder === undefined) return;
  try {
    expect((await stat(folder)).mode & 0o7777).toBe(0o1777);
    expect(await readdir(folder)).toEqual([]);
    await promisify(execFile)('cp', ['/bin/true', join(folder, 'true')]);
    await promisify(execFile)(join(folder, 'true'));
  } finally {
    await rm(folder, { recursive: true });
  }
});
