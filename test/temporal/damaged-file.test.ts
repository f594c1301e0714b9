import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EmbeddedTemporalOptions, startEmbeddedTemporal } from '../../src/temporal/embedded-server.ts';
import { assertWholeFile } from '../../src/temporal/damaged-file.ts';
import { temporalBinary } from '../support/temporal-binary.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const options = async (dataDir: string): Promise<EmbeddedTemporalOptions> => ({
  binary: await temporalBinary(),
  dataDir,
  host: '127.0.0.1',
  port: 0,
  uiPort: undefined,
  namespace: 'burnish',
  searchAttributes: ['BurnishStatus=Keyword'],
});
const FILE = join('temporal', 'temporal.sqlite');
const LOG = `${FILE}-wal`;

/** A data folder whose server has stopped, with its pages in the log as the server leaves them */
let served: TemporaryFolder;
beforeAll(async () => {
  served = await temporaryFolder();
  await (await startEmbeddedTemporal(await options(served.path))).stop();
});
afterAll(() => served[Symbol.asyncDispose]());

async function copyOf(): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  await cp(served.path, folder.path, { recursive: true });
  return folder;
}

/** Moves the pages of the log into the file, as SQLite's own checkpoints do. */
function checkpoint(file: string): void {
  const code = 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("pragma wal_checkpoint(truncate)")';
  execFileSync('python3', ['-c', code, file]);
}

async function garble(path: string, at: number, bytes: number): Promise<void> {
  await using file = await open(path, 'r+');
  await file.write(randomBytes(bytes), 0, bytes, at);
}

describe('a start on a damaged file of Temporal names the damage and the remedy in one line', () => {
  test.each<[string, (file: string) => Promise<unknown>, RegExp]>([
    ['empty', (file) => truncate(file, 0), /it is empty/],
    ['cut within its header', (file) => truncate(file, 50), /it does not begin as a SQLite database does/],
    ['half', async (file) => truncate(file, Math.floor((await stat(file)).size / 2)), /it has \d+ of \d+ bytes/],
    ['one page short', async (file) => truncate(file, (await stat(file)).size - 4_096), /it has \d+ of \d+ bytes/],
    ['one byte short', async (file) => truncate(file, (await stat(file)).size - 1), /it has \d+ of \d+ bytes/],
    ['random in its header', (file) => garble(file, 0, 100), /it does not begin as a SQLite database does/],
    ['random in its list of tables', (file) => garble(file, 100, 3_900), /database disk image is malformed/],
  ])('%s', async (_, damage, problem) => {
    await using folder = await copyOf();
    const file = join(folder.path, FILE);
    checkpoint(file);
    await damage(file);
    const said = await startEmbeddedTemporal(await options(folder.path)).then(
      async (server) => {
        await server.stop();
        return 'It started.';
      },
      (error: Error) => `${error.name}: ${error.message}`,
    );
    expect(said).toMatch(problem);
    expect(said).toContain(`StartupError: Temporal's file ${file} is damaged: `);
    expect(said).toMatch(/^[^\n]+\. Restore the whole data folder from a backup\.$/);
  });

  test('missing beside its log', async () => {
    await using folder = await copyOf();
    await rm(join(folder.path, FILE));
    const started = startEmbeddedTemporal(await options(folder.path));
    await expect(started).rejects.toThrow(/is damaged: it is missing, and its log temporal\.sqlite-wal is not\./);
  });
});

describe('a whole file', () => {
  test('is one whose pages are in the file, in its log, or in both after an interrupted checkpoint', async () => {
    await using folder = await copyOf();
    const file = join(folder.path, FILE);
    await assertWholeFile(file);
    const log = await readFile(join(folder.path, LOG));
    expect(log.byteLength).toBeGreaterThan(100_000);
    checkpoint(file);
    await assertWholeFile(file);
    const { size } = await stat(file);
    // The first pages have been written, with the new size in the header.
    await writeFile(join(folder.path, LOG), log);
    await truncate(file, 3 * 4_096);
    await assertWholeFile(file);
    // The log of another time has another salt.
    log.writeUInt8(log.readUInt8(16) ^ 1, 16);
    await writeFile(join(folder.path, LOG), log);
    await expect(assertWholeFile(file)).rejects.toThrow(`it has 12288 of ${size} bytes`);
  });

  test('may be absent at a first start', async () => {
    await using folder = await temporaryFolder();
    await assertWholeFile(join(folder.path, FILE));
  });
});
