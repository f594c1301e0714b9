import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { MessageChannel, Worker } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/node-postgres';
import { sql } from 'drizzle-orm';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Database } from '../../src/database/database.ts';
import { createCreditLedger } from '../../src/database/credits/credit-ledger.ts';
import { Backend } from '../../src/database/embedded/backend.ts';
import { EmbeddedPool, whenReady } from '../../src/database/embedded/open-embedded.ts';
import { tidy } from '../../src/database/embedded/housekeeping.ts';
import type { Answer, Request } from '../../src/database/embedded/messages.ts';
import { serve } from '../../src/database/embedded/serve.ts';
import { Turns } from '../../src/database/embedded/turns.ts';
import { openDatabase } from '../../src/database/open.ts';
import { failedMachinery } from '../../src/domain/machinery.ts';
import { stagedFiles } from '../../src/database/schema/requests.ts';
import { createLifecycleSteps } from '../../src/database/uploads/lifecycle-steps.ts';
import { createStagedFiles } from '../../src/database/uploads/upload-starts.ts';
import { createGate } from '../support/gate.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { poll } from '../support/poll.ts';
import { onTestFinished } from '../support/running-test.ts';
import { addAccount, anEnhancement, anUpload } from './records.ts';

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

/** The database's side on this thread, where its file system can be watched and broken. */
async function serveHere(folder: string): Promise<Database & { pool: EmbeddedPool; posted: Request[][] }> {
  const { port1, port2 } = new MessageChannel();
  const served = serve(folder, port2);
  const posted: Request[][] = [];
  const post = (requests: Request[]): void => {
    posted.push(requests);
    port1.postMessage(requests);
  };
  const pool = new EmbeddedPool({ post, awaiting: () => undefined });
  await once(port1, 'message');
  port1.on('message', (answers: Answer[]) => pool.receive(answers));
  return {
    pool,
    posted,
    kind: 'embedded',
    ping: async () => void (await pool.query('select 1')),
    listen: (channel, callback) => pool.listen(channel, callback),
    ended: served,
    orm: drizzle(pool as unknown as Pool),
    async close() {
      await pool.drain();
      port1.postMessage([{ kind: 'close' }] satisfies Request[]);
      await served;
      port1.close();
    },
  };
}

/** Folders and files in the order in which they are synced to disk. */
function watchSyncs(): string[] {
  const synced: string[] = [];
  const fsyncSync = fs.fsyncSync;
  const spy = jest.spyOn(fs, 'fsyncSync').mockImplementation((fd) => {
    fsyncSync(fd);
    synced.push(process.platform === 'linux' ? fs.readlinkSync(`/proc/self/fd/${fd}`) : 'pg_wal');
  });
  onTestFinished(() => spy.mockRestore());
  return synced;
}

function breakSyncs(): void {
  const spy = jest.spyOn(fs, 'fsyncSync').mockImplementation(() => {
    throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
  });
  onTestFinished(() => spy.mockRestore());
}

/** A folder whose database is made and migrated. */
async function migratedFolder(): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  await copyMigratedDatabase(folder.path);
  return folder;
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );

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
  afterAll(() => folder[Symbol.asyncDispose]());

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
      `The data folder ${folder.path} is in use by process ${process.pid}.`,
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
});

describe('the embedded database on this thread', () => {
  let here: Awaited<ReturnType<typeof serveHere>>;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    folder = await migratedFolder();
    here = await serveHere(folder.path);
  });
  afterAll(async () => {
    await here.close();
    await folder[Symbol.asyncDispose]();
  });

  test('sends a begin with the first statement, and statements made at once in one message', async () => {
    const before = here.posted.length;
    await here.orm.transaction(async (tx) => {
      const files = createStagedFiles({ ...here, orm: tx });
      await Promise.all([files.add('upl_1', 'key'), files.add('upl_2', 'key')]);
    });
    await here.orm.transaction(() => Promise.resolve());
    await here.ping();
    const words = (request: Request): string => (request.kind === 'query' ? request.text.split(' ')[0]! : request.kind);
    const sent = here.posted.slice(before).map((message) => message.map(words));
    expect(sent).toEqual([['insert', 'insert'], ['commit'], ['select']]);
    const ids = (await createStagedFiles(here).olderThan(-60_000)).map(({ uploadId }) => uploadId);
    expect(ids).toEqual(expect.arrayContaining(['upl_1', 'upl_2']));
  });

  test('takes two, five and four messages for the transactions of a lifecycle', async () => {
    const upload = anUpload(await addAccount(here));
    const enhancement = anEnhancement(upload);
    const steps = createLifecycleSteps(here);
    const nowMs = Date.now();
    const sentence = 'It moves.';
    const announced = { source: 'workflow', created: new Date(nowMs).toISOString(), webhookUrl: null };
    const messages: number[] = [];
    const count = async (step: Promise<unknown>): Promise<void> => {
      const before = here.posted.length;
      await step;
      messages.push(here.posted.length - before);
    };
    await count(
      steps.recordUpload({ upload, sentence, announce: { ...announced, kind: 'upload.status_update', eventKey: '1' } }),
    );
    const facts = { sourceSha256: 'ab'.repeat(32), fingerprint: 'print', engineVersion: 'v' };
    // Enters the credits of the period.
    await createCreditLedger(here).balance(upload.accountId, nowMs);
    await count(
      steps.beginEnhancement({ enhancement, facts, sentence, reuse: true, credits: 4, nowMs, announce: null }),
    );
    await count(
      steps.recordEnhancement({
        enhancement: { ...enhancement, revision: 2, status: 'FINISHED' },
        facts,
        sentence,
        settle: { capture: 4 },
        nowMs,
        announce: { ...announced, kind: 'enhanced_image.status_update', eventKey: '2' },
      }),
    );
    expect(messages).toEqual([2, 5, 4]);
  });

  test('acknowledges a commit after the write-ahead log is synced to disk', async () => {
    const synced = watchSyncs();
    const files = createStagedFiles(here);
    for (let i = 1; i <= 20; i += 1) {
      await files.add(`upl_synced_${i}`, 'key');
      expect(synced.filter((path) => path.includes('pg_wal')).length).toBeGreaterThanOrEqual(i);
    }
    await here.orm.transaction(async (tx) => {
      await createStagedFiles({ ...here, orm: tx }).add('upl_synced_21', 'key');
    });
    expect(synced.filter((path) => path.includes('pg_wal')).length).toBeGreaterThanOrEqual(21);
  });

  test('shares a sync between commits that arrive at once', async () => {
    const files = createStagedFiles(here);
    const synced = watchSyncs();
    await Promise.all(Array.from({ length: 50 }, (_, i) => files.add(`upl_shared_${i}`, 'key')));
    expect(synced.length).toBeGreaterThan(0);
    expect(synced.length).toBeLessThan(25);
  });
});

describe('commits of the embedded database', () => {
  test('are neither acknowledged nor visible if the disk refuses them, and a new start is consistent', async () => {
    await using folder = await migratedFolder();
    const here = await serveHere(folder.path);
    const files = createStagedFiles(here);
    await files.add('upl_1', 'key');
    breakSyncs();
    // On one connection the read runs after the commit, and before its sync.
    const connection = await here.pool.connect();
    const write = failureOf(connection.query("insert into staged_files values ($1, 'key', now())", ['upl_2']));
    const read = failureOf(connection.query('select * from staged_files where upload_id <> $1', ['']));
    expect(failedMachinery(await write)).toBe('database');
    expect(failedMachinery(await read)).toBe('database');
    jest.restoreAllMocks();
    const later = await failureOf(here.orm.execute(sql`select 1`));
    expect(later).toMatchObject({ cause: { message: expect.stringMatching(/^The embedded database has stopped/) } });
    await here.close();

    const again = await openDatabase({ dataDir: folder.path });
    const rows = await createStagedFiles(again).olderThan(-60_000);
    await again.close();
    expect(rows.map(({ uploadId }) => uploadId)).toContain('upl_1');
  });
});

describe('a data folder that another process uses', () => {
  test('is refused while that process runs, and contains every acknowledged commit after kill -9', async () => {
    await using folder = await migratedFolder();
    const dataDir = folder.path;
    const child = startChild(dataDir);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout!, 'readable');
    await expect(openDatabase({ dataDir })).rejects.toThrow(`is in use by process ${child.pid}.`);

    const acknowledged = await killAfter(child, 200);
    const database = await openDatabase({ dataDir });
    const rows = await database.orm.select({ id: stagedFiles.uploadId }).from(stagedFiles);
    await database.close();
    const kept = new Set(rows.map(({ id }) => id));
    expect(acknowledged.length).toBeGreaterThanOrEqual(200);
    expect(acknowledged.filter((i) => !kept.has(`upl_${i}`))).toEqual([]);
  });
});

describe('the backend of the embedded database', () => {
  let pglite: PGlite;
  beforeAll(async () => void (pglite = await PGlite.create('memory://')));
  afterAll(() => pglite.close());

  test('executes no later statement of a transaction whose first one was refused', async () => {
    await pglite.exec('create table numbers (id integer)');
    let now = 0;
    const answers: Answer[] = [];
    const turns = new Turns({
      backend: new Backend(pglite),
      send: (sent) => answers.push(...sent),
      poll: () => undefined,
      tidy: () => Promise.resolve(),
      now: () => now,
    });
    const insert = (id: number, session: number, transaction: 'begin' | 'within'): Request[] => [
      { kind: 'query', id, session, transaction, text: `insert into numbers values (${id})`, values: [] },
    ];
    await turns.take(insert(1, 1, 'begin'));
    await turns.take(insert(2, 2, 'begin'));
    now = 1;
    await turns.take(insert(3, 2, 'within'));
    // The first statement of the second session has waited too long now, and the second one has not.
    now = 5_000;
    await turns.run();
    await turns.take([
      { kind: 'query', id: 4, session: 2, transaction: 'within', text: 'rollback', values: [] },
      { kind: 'query', id: 5, session: 1, transaction: 'within', text: 'commit', values: [] },
    ]);
    now = 5_010;
    await turns.run();
    const outcomes = answers.map((answer) => [answer.kind, 'id' in answer ? answer.id : 0]);
    expect(outcomes.sort(([, a], [, b]) => Number(a) - Number(b))).toEqual([
      ['reply', 1],
      ['unavailable', 2],
      ['unavailable', 3],
      ['reply', 4],
      ['reply', 5],
    ]);
    expect((await pglite.query('select id from numbers')).rows).toEqual([{ id: 1 }]);
  });

  test('checkpoints and vacuums after enough writes, and at no other time', async () => {
    const logSince = async () =>
      (
        await pglite.query<{ bytes: number }>(
          'select (pg_current_wal_insert_lsn() - redo_lsn)::float8 as bytes from pg_control_checkpoint()',
        )
      ).rows[0]!.bytes;
    await pglite.exec(`create table t (x text); insert into t select repeat('x', 500) from generate_series(1, 4000)`);
    await pglite.exec('delete from t');
    const written = await logSince();
    expect(await tidy(new Backend(pglite), written * 2)).toBe(false);
    expect(await tidy(new Backend(pglite), written)).toBe(true);
    expect(await logSince()).toBeLessThan(written / 10);
    const { rows } = await pglite.query<{ pages: number }>(`select pg_relation_size('t')::int as pages`);
    expect(rows[0]!.pages).toBe(0);
  });
});

test('a database thread that ends before it is ready fails the start with its exit code', async () => {
  const thread = new Worker('process.exit(3)', { eval: true });
  await expect(whenReady(thread)).rejects.toThrow('ended with exit code 3 before it was ready');
});
