import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { stagedFiles } from '../../src/database/schema/requests.ts';
import { createStagedFiles } from '../../src/database/uploads/staged-files.ts';
import { failedMachinery } from '../../src/domain/failed-machinery.ts';
import { createGate } from '../support/gate.ts';
import { startPostgres, type Postgres } from '../support/postgres.ts';
import { poll } from '../support/poll.ts';
import { onTestFinished } from '../support/running-test.ts';

const ROUNDS = 20;
const WRITERS = 12;

const KILL = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> $1';

describe('connections that PostgreSQL closes', () => {
  let postgres: Postgres;
  let database: Database;
  let administrator: Client;

  beforeAll(async () => {
    postgres = await startPostgres();
    database = await openDatabase({ url: postgres.url, dataDir: '' });
    administrator = new Client({ connectionString: postgres.url });
    await administrator.connect();
  });
  afterAll(async () => {
    await administrator.end();
    await database.close();
    await postgres[Symbol.asyncDispose]();
  });

  async function killAll(): Promise<number> {
    const { rows } = await administrator.query('select pg_backend_pid() as pid');
    return (await administrator.query(KILL, [rows[0].pid])).rowCount ?? 0;
  }

  test('end by themselves in a transaction whose process is silent', async () => {
    const { rows } = await database.orm.execute(sql`show idle_in_transaction_session_timeout`);
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: '30s' }]);
  });

  test('during transactions end no process, lose no acknowledged row, and leave no slot of the pool in use', async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown): void => void unhandled.push(error);
    process.on('uncaughtException', onUnhandled);
    onTestFinished(() => void process.off('uncaughtException', onUnhandled));
    const heard: (string | null)[] = [];
    const stopListening = await database.listen('kills', (payload) => heard.push(payload));
    onTestFinished(stopListening);

    const acknowledged: string[] = [];
    const refused: unknown[] = [];
    let stopped = false;
    const writer = async (name: number): Promise<void> => {
      for (let i = 0; !stopped; i += 1) {
        const uploadId = `upl_${name}_${i}`;
        try {
          await database.orm.transaction(async (tx) => {
            await tx.insert(stagedFiles).values({ uploadId, objectKey: 'k', createdAt: new Date().toISOString() });
            // A moment in which the connection is checked out and no query runs
            await pause(Math.random() * 10);
            await tx.execute(sql`select pg_sleep(0.002)`);
          });
          acknowledged.push(uploadId);
        } catch (error) {
          refused.push(error);
        }
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, name) => writer(name));
    let killed = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      await pause(40 + Math.random() * 60);
      killed += await killAll();
    }
    stopped = true;
    await Promise.all(writers);

    expect(unhandled).toEqual([]);
    expect(killed).toBeGreaterThan(ROUNDS * 3);
    expect(refused.length).toBeGreaterThan(ROUNDS);
    expect(refused.filter((error) => failedMachinery(error) !== 'database')).toEqual([]);
    const rows = await database.orm.select({ id: stagedFiles.uploadId }).from(stagedFiles);
    const kept = new Set(rows.map(({ id }) => id));
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    // Every place of the pool is free again: as many transactions as it has places meet at one moment.
    let inside = 0;
    const allInside = Array.from({ length: 10 }, () =>
      database.orm.transaction(async (tx) => {
        inside += 1;
        await poll(() => inside).toBe(10);
        await tx.execute(sql`select 1`);
      }),
    );
    await Promise.all(allInside);
    await poll(async () => {
      await database.orm.execute(sql`select pg_notify('kills', 'after')`);
      return heard;
    }).toContain('after');
  });

  test('and no caller returns make a waiting request fail within six seconds, as an unavailable database', async () => {
    const held = createGate();
    const holders = Array.from({ length: 10 }, () => database.orm.transaction(() => held.opened));
    await pause(200);
    const startedAt = performance.now();
    const error = await createStagedFiles(database)
      .olderThan(0)
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    const waitedMs = performance.now() - startedAt;
    held.open();
    await Promise.all(holders);
    expect(failedMachinery(error)).toBe('database');
    expect(waitedMs).toBeLessThan(6_000);
  });
});

test('a lost PostgreSQL is distinguished from a wrong query', async () => {
  const postgres = await startPostgres();
  const database = await openDatabase({ url: postgres.url, dataDir: '' });
  onTestFinished(() => database.close());
  const failureOf = (query: Promise<unknown>): Promise<unknown> =>
    query.then(
      () => undefined,
      (reason: unknown) => reason,
    );
  const wrong = await failureOf(database.orm.execute(sql`select * from nothing`));
  await postgres[Symbol.asyncDispose]();
  const gone = await failureOf(database.orm.execute(sql`select 1`));
  const goneTransaction = await failureOf(database.orm.transaction(async (tx) => tx.execute(sql`select 1`)));
  expect(wrong).toBeInstanceOf(Error);
  expect(failedMachinery(wrong)).toBeUndefined();
  expect(failedMachinery(gone)).toBe('database');
  expect(failedMachinery(goneTransaction)).toBe('database');
  expect(failedMachinery(await database.ping().catch((error: unknown) => error))).toBe('database');
});
