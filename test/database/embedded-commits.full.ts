import { once } from 'node:events';
import fs from 'node:fs';
import { MessageChannel } from 'node:worker_threads';
import { drizzle } from 'drizzle-orm/node-postgres';
import { sql } from 'drizzle-orm';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Database } from '../../src/database/database.ts';
import { createCreditLedger } from '../../src/database/credits/credit-ledger.ts';
import { EmbeddedPool } from '../../src/database/embedded/embedded-pool.ts';
import type { Answer, Request } from '../../src/database/embedded/messages.ts';
import { serve } from '../../src/database/embedded/serve.ts';
import { openDatabase } from '../../src/database/open.ts';
import { failedMachinery } from '../../src/domain/failed-machinery.ts';
import { createLifecycleSteps } from '../../src/database/uploads/lifecycle-steps.ts';
import { createStagedFiles } from '../../src/database/uploads/staged-files.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { onTestFinished } from '../support/running-test.ts';
import { addAccount, anEnhancement, anUpload } from './records.ts';
import { watchSyncs } from './watch-syncs.ts';
import { testVault } from '../support/test-vault.ts';

/** The database's side on this thread, where its file system can be watched and broken. */
type Here = Database & { pool: EmbeddedPool; posted: Request[][]; served: Promise<unknown>; cut(): void };

async function serveHere(folder: string): Promise<Here> {
  const { port1, port2 } = new MessageChannel();
  const served = serve({ folder, port: port2, sent: new Int32Array(new SharedArrayBuffer(4)) });
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
    problem: () => undefined,
    served,
    orm: drizzle(pool as unknown as Pool),
    async close() {
      await pool.drain();
      port1.postMessage([{ kind: 'close' }] satisfies Request[]);
      await served;
      port1.close();
    },
    /** Also after the database has stopped: an open port keeps the process of the tests alive. */
    cut: () => port1.close(),
  };
}

function breakSyncs(): void {
  const spy = jest.spyOn(fs, 'fsyncSync').mockImplementation(() => {
    throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
  });
  onTestFinished(() => spy.mockRestore());
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );

describe('the embedded database on this thread', () => {
  let here: Awaited<ReturnType<typeof serveHere>>;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    folder = await temporaryFolder();
    await copyMigratedDatabase(folder.path);
    here = await serveHere(folder.path);
  });
  afterAll(() => {
    here.cut();
    return folder[Symbol.asyncDispose]();
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

  test('takes one, two and two messages for the steps of a lifecycle', async () => {
    const upload = anUpload(await addAccount(here));
    const enhancement = anEnhancement(upload);
    const steps = createLifecycleSteps(here, testVault);
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
    expect(messages).toEqual([1, 2, 2]);
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

  // Last: the database has stopped after it.
  test('neither acknowledges nor shows commits that the disk refuses, and a new start is consistent', async () => {
    const files = createStagedFiles(here);
    await files.add('upl_kept', 'key');
    breakSyncs();
    // On one connection the read runs after the commit, and before its sync.
    const connection = await here.pool.connect();
    const write = failureOf(connection.query("insert into staged_files values ($1, 'key', now())", ['upl_refused']));
    const read = failureOf(connection.query('select * from staged_files where upload_id <> $1', ['']));
    expect(failedMachinery(await write)).toBe('database');
    expect(failedMachinery(await read)).toBe('database');
    jest.restoreAllMocks();
    // The thread of production ends by this error, and its end is reported to later queries.
    await expect(here.served).rejects.toThrow(/^could not fsync file .* I\/O error$/);
    expect(failedMachinery(await failureOf(here.orm.execute(sql`select 1`)))).toBe('database');

    const again = await openDatabase({ dataDir: folder.path });
    const rows = await createStagedFiles(again).olderThan(-60_000);
    await again.close();
    expect(rows.map(({ uploadId }) => uploadId)).toContain('upl_kept');
  });
});
