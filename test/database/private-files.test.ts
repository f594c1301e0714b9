import { chmodSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/database/open.ts';
import { createStagedFiles } from '../../src/database/uploads/upload-starts.ts';
import { wideFiles } from '../support/wide-files.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

(process.platform === 'win32' ? describe.skip : describe)('the files of the embedded database', () => {
  let folder: TemporaryFolder;
  let umask: number;
  // A folder that others may enter, in a process whose umask hides nothing
  beforeAll(async () => {
    folder = await temporaryFolder();
    umask = process.umask(0);
    chmodSync(folder.path, 0o755);
  });
  afterAll(async () => {
    process.umask(umask);
    await folder[Symbol.asyncDispose]();
  });

  test('are readable by their owner only, whatever the umask', async () => {
    const database = await openDatabase({ dataDir: folder.path });
    await createStagedFiles(database).add('upl_1', 'key');
    await database.close();
    expect((await readdir(join(folder.path, 'database'))).length).toBeGreaterThan(10);
    expect(await wideFiles(folder.path)).toEqual([]);
  });

  test('become private at the next start if they are wider, and so does their folder', async () => {
    const file = join(folder.path, 'database', 'PG_VERSION');
    chmodSync(file, 0o644);
    chmodSync(join(folder.path, 'database'), 0o755);
    chmodSync(folder.path, 0o755);
    await (await openDatabase({ dataDir: folder.path })).close();
    expect((await lstat(file)).mode & 0o777).toBe(0o600);
    expect(await wideFiles(folder.path)).toEqual([]);
  });
});
