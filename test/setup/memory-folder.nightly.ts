import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statfsSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { memoryFolder } = (await import(join(repositoryRoot, 'scripts', 'memory-folder.mjs'))) as {
  memoryFolder(place?: string, enough?: number): string | undefined;
};
const IN_MEMORY = '/dev/shm';

test('no folder is made in a place that is absent, too small, or not a folder', async () => {
  expect(memoryFolder('/nowhere')).toBeUndefined();
  expect(memoryFolder(import.meta.dirname, 2 ** 60)).toBeUndefined();
  expect((await readdir(import.meta.dirname)).filter((name) => name.startsWith('burnish-'))).toEqual([]);
});

test('a folder that an ended process has left is removed, and no other', async () => {
  await using place = await temporaryFolder();
  const ended = execFile(process.execPath, ['--version']);
  await once(ended, 'exit');
  const names = [`burnish-${process.pid}-a`, `burnish-${ended.pid}-b`, 'burnish-c', `tests-${ended.pid}-d`];
  for (const name of names) await mkdir(join(place.path, name, 'files'), { recursive: true });
  expect(memoryFolder(place.path, 2 ** 60)).toBeUndefined();
  expect((await readdir(place.path)).sort()).toEqual([names[2], names[0], names[3]].sort());
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
