import { chmod } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wideFiles } from '../support/wide-files.ts';
import { photo } from './files.ts';
import { startInstance } from './instance.ts';

test('nothing in the data folder is readable by other users, after work and where the folder was wider before', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  await chmod(folder.path, 0o755);
  await using instance = await startInstance({ dataDir: folder.path });
  const { body: upload } = await instance.api.upload(await photo(), { enhancements: [{ mode: 'ENHANCE' }] });
  await instance.api.settled(upload.id);
  expect(await wideFiles(folder.path)).toEqual([]);
  expect(await instance.stop()).toBe(0);
  expect(await wideFiles(folder.path)).toEqual([]);
});
