import { chmod, lstat, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { makePrivateFolder, narrowEntries, narrowTree } from '../../src/database/private-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wideFiles } from '../support/wide-files.ts';

/** A data folder as an earlier version may have left it. */
async function wideFolder(path: string): Promise<void> {
  for (const name of ['.', 'files', 'files/acc', 'temporal']) {
    await mkdir(join(path, name), { recursive: true });
    await chmod(join(path, name), 0o755);
  }
  for (const name of ['local-access.json', 'files/acc/original', 'temporal/temporal.sqlite']) {
    await writeFile(join(path, name), '');
    await chmod(join(path, name), 0o644);
  }
}

test('a data folder with wider permissions becomes private, with all of its content', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'data');
  await wideFolder(path);
  expect(await wideFiles(path)).toHaveLength(7);
  await makePrivateFolder(path);
  await narrowEntries(path);
  await narrowTree(join(path, 'temporal'));
  // Stored files of before lie in a folder that is closed: to visit a million of them at each start would take minutes.
  expect((await wideFiles(path)).map((line) => line.replace(`${path}/`, '')).toSorted()).toEqual([
    '0644 files/acc/original',
    '0755 files/acc',
  ]);
  expect((await lstat(join(path, 'files'))).mode & 0o777).toBe(0o700);
});

test('a link in the data folder changes no permissions elsewhere', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'data');
  const elsewhere = join(folder.path, 'elsewhere');
  await writeFile(elsewhere, '');
  await chmod(elsewhere, 0o644);
  await mkdir(path);
  await symlink(elsewhere, join(path, 'link'));
  await narrowEntries(path);
  expect((await lstat(elsewhere)).mode & 0o777).toBe(0o644);
});
