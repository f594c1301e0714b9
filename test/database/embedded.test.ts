import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { tidy } from '../../src/database/embedded-housekeeping.ts';
import { openDatabase } from '../../src/database/open.ts';
import { stagedFiles } from '../../src/database/schema/requests.ts';
import { createStagedFiles } from '../../src/database/staged-files.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const CHILD = fileURLToPath(new URL('./committing-child.ts', import.meta.url));

function startChild(dataDir: string): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', CHILD, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Kills the child once it has acknowledged so many commits. @returns all that it acknowledged */
async function killAfter(child: ChildProcess, commits: number): Promise<number[]> {
  const acknowledged: number[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    acknowledged.push(Number(line));
    if (acknowledged.length === commits) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return acknowledged;
}

describe('the embedded database', () => {
  let folder: TemporaryFolder;
  let database: Database;

  beforeAll(async () => {
    folder = await temporaryFolder();
    // What a kill during the very first start leaves behind
    await mkdir(join(folder.path, 'database.new'));
    await writeFile(join(folder.path, 'database.new', 'PG_VERSION'), 'ruin');
    database = await openDatabase({ dataDir: folder.path });
  });
  afterAll(async () => {
    await database.close();
    await folder[Symbol.asyncDispose]();
  });

  test('syncs the write-ahead log to disk with every commit, before it is acknowledged', async () => {
    const synced: string[] = [];
    const fsyncSync = fs.fsyncSync;
    const spy = vi.spyOn(fs, 'fsyncSync').mockImplementation((fd) => {
      fsyncSync(fd);
      synced.push(process.platform === 'linux' ? fs.readlinkSync(`/proc/self/fd/${fd}`) : 'pg_wal');
    });
    onTestFinished(() => spy.mockRestore());
    const files = createStagedFiles(database);
    for (let i = 1; i <= 20; i += 1) {
      await files.add(`upl_${i}`, 'key');
      expect(synced.filter((path) => path.includes('pg_wal')).length).toBeGreaterThanOrEqual(i);
    }
  });

  test('acknowledges nothing once the disk fails, answers no more, and is whole after the next start', async () => {
    const other = await temporaryFolder();
    onTestFinished(() => other[Symbol.asyncDispose]());
    const opened = await openDatabase({ dataDir: other.path });
    await createStagedFiles(opened).add('upl_1', 'key');
    const spy = vi.spyOn(fs, 'fsyncSync').mockImplementation(() => {
      throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
    });
    onTestFinished(() => spy.mockRestore());
    await expect(createStagedFiles(opened).add('upl_2', 'key')).rejects.toThrow();
    spy.mockRestore();
    await expect(opened.ping()).rejects.toThrow(/^The embedded database has stopped/);
    await opened.close();

    const again = await openDatabase({ dataDir: other.path });
    onTestFinished(() => again.close());
    const rows = await createStagedFiles(again).olderThan(-60_000);
    expect(rows.map(({ uploadId }) => uploadId)).toContain('upl_1');
  });

  test('refuses a second opening of its folder, and names the process', async () => {
    await expect(openDatabase({ dataDir: folder.path })).rejects.toThrow(
      `The data folder ${folder.path} is in use by process ${process.pid}.`,
    );
    await database.ping();
  });
});

describe('a data folder that another process has', () => {
  test('is refused while that lives, and after kill -9 holds everything that was acknowledged', async () => {
    const folder = await temporaryFolder();
    onTestFinished(() => folder[Symbol.asyncDispose]());
    const child = startChild(folder.path);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout!, 'readable');
    await expect(openDatabase({ dataDir: folder.path })).rejects.toThrow(`is in use by process ${child.pid}.`);

    const acknowledged = await killAfter(child, 200);
    const database = await openDatabase({ dataDir: folder.path });
    const rows = await database.orm.select({ id: stagedFiles.uploadId }).from(stagedFiles);
    await database.close();
    const kept = new Set(rows.map(({ id }) => id));
    expect(acknowledged.length).toBeGreaterThanOrEqual(200);
    expect(acknowledged.filter((i) => !kept.has(`upl_${i}`))).toEqual([]);
  });
});

describe('housekeeping', () => {
  test('checkpoints and vacuums once enough has been written, which nothing else does', async () => {
    const pglite = await PGlite.create('memory://');
    onTestFinished(() => pglite.close());
    const logSince = async () =>
      (
        await pglite.query<{ bytes: number }>(
          'select (pg_current_wal_insert_lsn() - redo_lsn)::float8 as bytes from pg_control_checkpoint()',
        )
      ).rows[0]!.bytes;
    await pglite.exec(`create table t (x text); insert into t select repeat('x', 500) from generate_series(1, 4000)`);
    await pglite.exec('delete from t');
    const written = await logSince();
    expect(await tidy(pglite, written * 2)).toBe(false);
    expect(await tidy(pglite, written)).toBe(true);
    expect(await logSince()).toBeLessThan(written / 10);
    const { rows } = await pglite.query<{ pages: number }>(`select pg_relation_size('t')::int as pages`);
    expect(rows[0]!.pages).toBe(0);
  });
});
