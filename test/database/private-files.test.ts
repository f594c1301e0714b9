import { chmodSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/database/open.ts';
import { createStagedFiles } from '../../src/database/uploads/upload-starts.ts';
import { wideFiles } from '../support/wide-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { onTestFinished } from '../support/running-test.ts';

/** A folder that others may enter, in a process whose umask hides nothing. */
async function openFolder(): Promise<string> {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  chmodSync(folder.path, 0o755);
  return folder.path;
}

(process.platform === 'win32' ? describe.skip : describe)('the files of the embedded database', () => {
  test('are readable by their owner only, whatever the umask', async () => {
    const dataDir = await openFolder();
    const database = await openDatabase({ dataDir });
    await createStagedFiles(database).add('upl_1', 'key');
    await database.close();
    expect((await readdir(join(dataDir, 'database'))).length).toBeGreaterThan(10);
    expect(await wideFiles(dataDir)).toEqual([]);
  });

  test('become private at the next start if they are wider, and so does their folder', async () => {
    const dataDir = await openFolder();
    await (await openDatabase({ dataDir })).close();
    const file = join(dataDir, 'database', 'PG_VERSION');
    chmodSync(file, 0o644);
    chmodSync(join(dataDir, 'database'), 0o755);
    chmodSync(dataDir, 0o755);
    await (await openDatabase({ dataDir })).close();
    expect((await lstat(file)).mode & 0o777).toBe(0o600);
    expect(await wideFiles(dataDir)).toEqual([]);
  });
});
