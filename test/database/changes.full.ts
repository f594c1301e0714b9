import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Upload } from '@burnish/contract';
import { CHANGES_CHANNEL, createChanges } from '../../src/database/changes.ts';
import type { Database } from '../../src/database/database.ts';
import { createEnhancements } from '../../src/database/uploads/enhancements.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createUploads } from '../../src/database/uploads/uploads.ts';
import { startPostgres, type Postgres } from '../support/postgres.ts';
import { DATABASES, type TestDatabase } from './databases.ts';
import { addAccount, anEnhancement, anUpload } from './records.ts';
import { poll } from '../support/poll.ts';
import { testVault } from '../support/test-vault.ts';

async function newUpload(database: Database): Promise<Upload> {
  const upload = anUpload(await addAccount(database));
  await createUploads(database, testVault).project(upload);
  return upload;
}

describe.each(DATABASES)('the change feed on %s', (_name, open) => {
  let opened: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    opened = await open();
    database = opened.database;
  });
  afterAll(() => opened.close());

  test('contains each applied projection with its snapshot, and continues after any number', async () => {
    const upload = await newUpload(database);
    const enhancement = anEnhancement(upload);
    await createEnhancements(database).project(enhancement);
    await createEnhancements(database).project(enhancement);
    await createUploads(database, testVault).project({ ...upload, revision: 2 });
    const changes = createChanges(database);
    const all = await changes.listSince(upload.accountId, upload.id, 0, 100);
    // An address may carry a secret, and nobody reads it in a snapshot.
    const { webhookUrl: _, ...shown } = upload;
    expect(all.map(({ seq, subject, subjectId, snapshot }) => ({ seq, subject, subjectId, snapshot }))).toStrictEqual([
      { seq: 1, subject: 'upload', subjectId: upload.id, snapshot: shown },
      { seq: 2, subject: 'enhancement', subjectId: enhancement.id, snapshot: enhancement },
      { seq: 3, subject: 'upload', subjectId: upload.id, snapshot: { ...shown, revision: 2 } },
    ]);
    expect(all[0]!.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect((await changes.listSince(upload.accountId, upload.id, 1, 1)).map(({ seq }) => seq)).toEqual([2]);
  });

  test('delivers every change to a reader that continues after its last number, during many writes', async () => {
    const upload = await newUpload(database);
    const changes = createChanges(database);
    const writers = Array.from({ length: 12 }, async (_, i) => {
      const enhancement = anEnhancement(upload);
      for (let revision = 1; revision <= 5; revision += 1) {
        await createEnhancements(database).project({ ...enhancement, revision });
        await createUploads(database, testVault).project({ ...upload, revision: 1 + i * 5 + revision });
      }
    });
    let writing = true;
    const written = Promise.all(writers).finally(() => {
      writing = false;
    });
    const seen: number[] = [];
    const read = async (): Promise<void> => {
      const news = await changes.listSince(upload.accountId, upload.id, seen.at(-1) ?? 0, 1000);
      seen.push(...news.map(({ seq }) => seq));
    };
    while (writing) await read();
    await written;
    await read();
    expect(seen.length).toBeGreaterThan(60);
    expect(seen).toEqual(seen.map((_, i) => i + 1));
  });

  test('drops old changes of deleted uploads, keeps all others, and continues the numbers', async () => {
    const [kept, deleted] = [await newUpload(database), await newUpload(database)];
    const changes = createChanges(database);
    const numbersOf = async ({ accountId, id }: Upload): Promise<number[]> =>
      (await changes.listSince(accountId, id, 0, 10)).map(({ seq }) => seq);
    await createUploads(database, testVault).project({ ...deleted, revision: 2, status: 'UPLOAD_DELETED' });
    expect(await changes.purge(new Date(Date.now() - 60_000).toISOString())).toBe(0);
    expect(await changes.purge(new Date(Date.now() + 60_000).toISOString())).toBe(2);
    expect([await numbersOf(kept), await numbersOf(deleted)]).toEqual([[1], []]);
    // Nothing replaces a tombstone, but its enhancement may end later.
    await createEnhancements(database).project(anEnhancement(deleted));
    expect(await numbersOf(deleted)).toEqual([3]);
  });

  test('notifies listeners of changed uploads until they stop', async () => {
    const heard: (string | null)[] = [];
    const stop = await database.listen(CHANGES_CHANNEL, (payload) => heard.push(payload));
    const upload = await newUpload(database);
    const enhancement = anEnhancement(upload);
    await createEnhancements(database).project(enhancement);
    await poll(() => heard).toEqual([upload.id, upload.id]);
    await createEnhancements(database).project(enhancement);
    await stop();
    await newUpload(database);
    await database.ping();
    expect(heard).toEqual([upload.id, upload.id]);
  });
});

describe('the change feed on PostgreSQL', () => {
  let postgres: Postgres;
  let database: Database;

  beforeAll(async () => {
    postgres = await startPostgres();
    database = await openDatabase({ url: postgres.url, dataDir: '' });
  });
  afterAll(async () => {
    await database.close();
    await postgres[Symbol.asyncDispose]();
  });

  test('assigns no later number while an earlier one is not committed', async () => {
    const upload = await newUpload(database);
    const changes = createChanges(database);
    const seqs = async () => (await changes.listSince(upload.accountId, upload.id, 0, 10)).map(({ seq }) => seq);
    let second: Promise<boolean> | undefined;
    await database.orm.transaction(async (tx) => {
      await createEnhancements({ ...database, orm: tx }).project(anEnhancement(upload));
      second = createEnhancements(database).project(anEnhancement(upload));
      // Time enough for the second to commit, if nothing held it back
      await Promise.race([second, pause(300)]);
      expect(await seqs()).toEqual([1]);
    });
    expect(await second).toBe(true);
    expect(await seqs()).toEqual([1, 2, 3]);
  });

  test('reconnects a listener after a lost connection and reports a possible gap', async () => {
    const heard: (string | null)[] = [];
    const stop = await database.listen('test_channel', (payload) => heard.push(payload));
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and pid <> pg_backend_pid()`,
    );
    await poll(() => heard, { timeout: 20_000 }).toEqual([null]);
    await client.query(`select pg_notify('test_channel', 'again')`);
    await poll(() => heard).toEqual([null, 'again']);
    await stop();
    await client.end();
  });

  test('starts in several processes at once on an empty database', async () => {
    const url = await postgres.createDatabase();
    const all = await Promise.all(Array.from({ length: 4 }, () => openDatabase({ url, dataDir: '' })));
    for (const each of all) await each.ping();
    await Promise.all(all.map((each) => each.close()));
  });

  test.each([
    [
      'postgres://someone:hunter2@127.0.0.1:1/burnish',
      /^PostgreSQL at 127\.0\.0\.1:1\/burnish cannot be reached: .*\.$/,
    ],
    ['mysql://someone:hunter2@127.0.0.1/x', /^The database address is not valid: /],
    ['hunter2', /^The database address is not valid: /],
  ])('refuses the address %s in one sentence without the password', async (url, sentence) => {
    const refusal = await openDatabase({ url, dataDir: '' }).catch((error: unknown) => error as Error);
    expect(refusal).toBeInstanceOf(Error);
    expect((refusal as Error).message).toMatch(sentence);
    expect((refusal as Error).message).not.toContain('hunter2');
  });
});
