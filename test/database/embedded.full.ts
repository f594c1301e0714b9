import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { mkdir, writeFile, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { MessageChannel, Worker } from 'node:worker_threads';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Database } from '../../src/database/database.ts';
import { whenReady } from '../../src/database/embedded/database-thread.ts';
import { openDatabase } from '../../src/database/open.ts';
import { failedMachinery } from '../../src/domain/failed-machinery.ts';
import { stagedFiles } from '../../src/database/schema/requests.ts';
import { createStagedFiles } from '../../src/database/uploads/staged-files.ts';
import { createGate } from '../support/gate.ts';
import { copyMigratedDatabase, openMigratedDatabase } from '../support/migrated-database.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { poll } from '../support/poll.ts';
import { onTestFinished } from '../support/running-test.ts';
import { wideFiles } from '../support/wide-files.ts';
import { watchSyncs } from './watch-syncs.ts';
import { testUnless } from '../support/needs.ts';

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

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );

describe('the embedded database', () => {
  let folder: TemporaryFolder;
  let database: Database;
  let umask: number;

  beforeAll(async () => {
    folder = await temporaryFolder();
    // A folder that others may enter, in a process whose umask hides nothing
    umask = process.umask(0);
    fs.chmodSync(folder.path, 0o755);
    // What a kill during the very first start leaves behind
    await mkdir(join(folder.path, 'database.new'));
    await writeFile(join(folder.path, 'database.new', 'PG_VERSION'), 'ruin');
    database = await openDatabase({ dataDir: folder.path });
  });
  afterAll(async () => {
    process.umask(umask);
    await folder[Symbol.asyncDispose]();
  });

  test('runs and syncs in its own thread', async () => {
    const synced = watchSyncs();
    await createStagedFiles(database).add('upl_thread', 'key');
    expect(synced).toEqual([]);
  });

  test('delivers notifications, also those of a transaction', async () => {
    const heard: (string | null)[] = [];
    const stop = await database.listen('test_channel', (payload) => heard.push(payload));
    await database.orm.execute(sql`select pg_notify('test_channel', 'one')`);
    await database.orm.transaction(async (tx) => {
      await tx.execute(sql`select pg_notify('test_channel', 'two')`);
    });
    await poll(() => heard).toEqual(['one', 'two']);
    await stop();
    await database.orm.execute(sql`select pg_notify('test_channel', 'three')`);
    expect(heard).toEqual(['one', 'two']);
  });

  test('isolates a transaction from other statements, and rolls back a failed one', async () => {
    const files = createStagedFiles(database);
    let outside: Promise<void> | undefined;
    const failed = database.orm.transaction(async (tx) => {
      await createStagedFiles({ ...database, orm: tx }).add('upl_inside', 'key');
      // Waits until the transaction is over
      outside = files.add('upl_outside', 'key');
      await new Promise((resolve) => setTimeout(resolve, 50));
      throw new Error('No.');
    });
    await expect(failed).rejects.toThrow('No.');
    // A read may overtake a waiting write.
    await outside;
    const ids = (await files.olderThan(-60_000)).map(({ uploadId }) => uploadId);
    expect(ids).toContain('upl_outside');
    expect(ids).not.toContain('upl_inside');
  });

  test('lets a read overtake waiting writes', async () => {
    let finished = 0;
    const writes = Array.from({ length: 40 }, (_, i) =>
      database.orm.transaction(async (tx) => {
        await createStagedFiles({ ...database, orm: tx }).add(`upl_overtaken_${i}`, 'key');
        finished += 1;
      }),
    );
    await database.ping();
    expect(finished).toBeLessThan(20);
    await Promise.all(writes);
  });

  test('refuses a statement after five seconds behind a long transaction, and does not run it later', async () => {
    const held = createGate();
    const long = database.orm.transaction(async (tx) => {
      await tx.execute(sql`select 1`);
      await held.opened;
    });
    await database.orm.execute(sql`select 1`).catch(() => undefined);
    const startedAt = performance.now();
    const error = await failureOf(createStagedFiles(database).add('upl_late', 'key'));
    expect(failedMachinery(error)).toBe('database');
    expect(performance.now() - startedAt).toBeLessThan(7_000);
    held.open();
    await long;
    const ids = (await createStagedFiles(database).olderThan(-60_000)).map(({ uploadId }) => uploadId);
    expect(ids).not.toContain('upl_late');
  });

  test('refuses to open its folder twice, and names the process', async () => {
    await expect(openDatabase({ dataDir: folder.path })).rejects.toThrow(
      `The data folder ${folder.path} is in use by process ${process.pid}. Stop it, or set BURNISH_DATA_DIR to another folder.`,
    );
    await database.ping();
  });

  test('distinguishes a wrong query from a closed database', async () => {
    const wrong = await failureOf(database.orm.execute(sql`select * from nothing`));
    expect(wrong).toMatchObject({ cause: { code: '42P01', severity: 'ERROR' } });
    expect(failedMachinery(wrong)).toBeUndefined();
    await database.close();
    expect(failedMachinery(await failureOf(database.ping()))).toBe('database');
  });

  const onPosix = testUnless(process.platform === 'win32' ? 'permissions of POSIX' : undefined);
  onPosix('has files that their owner alone may read, whatever the umask', async () => {
    expect((await readdir(join(folder.path, 'database'))).length).toBeGreaterThan(10);
    expect(await wideFiles(folder.path)).toEqual([]);
  });

  onPosix('makes its files and its folder private at its start if they are wider', async () => {
    const file = join(folder.path, 'database', 'PG_VERSION');
    fs.chmodSync(file, 0o644);
    for (const path of [join(folder.path, 'database'), folder.path]) fs.chmodSync(path, 0o755);
    await (await openDatabase({ dataDir: folder.path })).close();
    expect((await lstat(file)).mode & 0o777).toBe(0o600);
    expect(await wideFiles(folder.path)).toEqual([]);
  });
});

describe('a data folder that another process uses', () => {
  test('is refused while that process runs, and contains every acknowledged commit after kill -9', async () => {
    await using folder = await temporaryFolder();
    await copyMigratedDatabase(folder.path);
    const dataDir = folder.path;
    const child = startChild(dataDir);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout!, 'readable');
    await expect(openDatabase({ dataDir })).rejects.toThrow(`is in use by process ${child.pid}.`);

    const acknowledged = await killAfter(child, 50);
    const database = await openDatabase({ dataDir });
    const rows = await database.orm.select({ id: stagedFiles.uploadId }).from(stagedFiles);
    await database.close();
    const kept = new Set(rows.map(({ id }) => id));
    expect(acknowledged.length).toBeGreaterThanOrEqual(50);
    expect(acknowledged.filter((i) => !kept.has(`upl_${i}`))).toEqual([]);
  });
});

test('a database thread that ends before it is ready fails the start with its exit code', async () => {
  const thread = new Worker('process.exit(3)', { eval: true });
  const { port1, port2 } = new MessageChannel();
  await expect(whenReady(thread, port1)).rejects.toThrow('ended with exit code 3 before it was ready');
  port2.close();
});

test('a transaction seldom waits for a busy event loop between its statements', async () => {
  await using folder = await temporaryFolder();
  const database = await openMigratedDatabase(folder.path);
  let turns = 0;
  const each = setInterval(() => (turns += 1), 0);
  let waits = 0;
  try {
    for (let round = 0; round < 20; round += 1) {
      await database.orm.transaction(async (tx) => {
        for (let n = 0; n < 5; n += 1) {
          const before = turns;
          await tx.execute(sql`select ${n}::integer`);
          if (turns > before) waits += 1;
        }
      });
    }
    // Another one waits for the first, whose work takes turns.
    const others = Array.from({ length: 5 }, (_, n) =>
      database.orm.transaction(async (tx) => {
        await tx.execute(sql`select ${n}::integer`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        return (await tx.execute(sql`select ${n}::integer as n`)).rows[0];
      }),
    );
    expect(await Promise.all(others)).toEqual(Array.from({ length: 5 }, (_, n) => ({ n })));
  } finally {
    clearInterval(each);
    await database.close();
  }
  // Of 100 statements. On a busy machine, the other thread answers some of them late.
  expect(waits).toBeLessThan(50);
});
