import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Backend } from '../../src/database/embedded/backend.ts';
import { createHousekeeping } from '../../src/database/embedded/housekeeping.ts';
import type { Answer, Request } from '../../src/database/embedded/messages.ts';
import { SessionMultiplexer } from '../../src/database/embedded/session-multiplexer.ts';
import { startPostgres } from '../../src/database/embedded/start-postgres.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

describe('the backend of the embedded database', () => {
  let folder: TemporaryFolder;
  let pglite: PGlite;
  beforeAll(async () => {
    folder = await temporaryFolder();
    await copyMigratedDatabase(folder.path);
    pglite = await startPostgres(join(folder.path, 'database'));
  });
  afterAll(async () => {
    await pglite.close();
    await folder[Symbol.asyncDispose]();
  });

  test('executes no later statement of a transaction whose first one was refused', async () => {
    await pglite.exec('create table numbers (id integer)');
    let now = 0;
    const answers: Answer[] = [];
    const turns = new SessionMultiplexer({
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

  describe('its housekeeping', () => {
    const MINUTE_MS = 60_000;
    let now = 0;
    const backend = () => new Backend(pglite);
    /** Calls the housekeeping as often as there are tables, a minute after the last time. */
    const tidy = async (step: () => Promise<void>): Promise<void> => {
      now += MINUTE_MS;
      for (let calls = 0; calls < 200; calls += 1) await step();
    };
    const read = async <T>(text: string): Promise<T> => (await pglite.query<{ value: T }>(text)).rows[0]!.value;
    const written = () =>
      read<number>('select (pg_current_wal_insert_lsn() - redo_lsn)::float8 as value from pg_control_checkpoint()');
    const vacuums = (table: string) =>
      read<number>(`select vacuum_count::integer as value from pg_stat_user_tables where relname = '${table}'`);
    const pages = (table: string) => read<number>(`select pg_relation_size('${table}')::integer as value`);
    /** Changes rows, and has PostgreSQL count them at once, not a second later. */
    const change = async (statement: string) => {
      await pglite.exec(statement);
      await pglite.exec('select pg_stat_force_next_flush()');
    };
    const fill = async (table: string, rows: number) => {
      await pglite.exec(`drop table if exists ${table}; create table ${table} (x text)`);
      await change(`insert into ${table} select repeat('x', 500) from generate_series(1, ${rows})`);
    };

    test('checkpoints and vacuums after enough writes, and at no other time', async () => {
      await fill('emptied', 4_000);
      await pglite.exec('delete from emptied');
      const log = await written();
      await tidy(createHousekeeping(backend(), { now: () => now, walBytes: log * 2 }));
      expect(await pages('emptied')).toBeGreaterThan(0);
      await tidy(createHousekeeping(backend(), { now: () => now, walBytes: log }));
      expect(await written()).toBeLessThan(log / 10);
      expect(await pages('emptied')).toBe(0);
    });

    test('vacuums each table after a start, and later only those with many changes, one in a call', async () => {
      await fill('large', 4_000);
      await fill('busy', 4_000);
      const step = createHousekeeping(backend(), { now: () => now, walBytes: 1 });
      await tidy(step);
      expect(await Promise.all(['large', 'busy'].map(vacuums))).toEqual([1, 1]);

      const update = (table: string, rows: number) =>
        change(`update ${table} set x = 'y' where ctid in (select ctid from ${table} limit ${rows})`);
      await update('large', 400);
      await update('busy', 1_200);
      now += MINUTE_MS;
      await step();
      expect(await Promise.all(['large', 'busy'].map(vacuums))).toEqual([1, 1]);
      await step();
      await tidy(step);
      expect(await Promise.all(['large', 'busy'].map(vacuums))).toEqual([1, 2]);
      const dead = `select n_dead_tup::integer as value from pg_stat_user_tables where relname = 'busy'`;
      expect(await read<number>(dead)).toBe(0);
    });
  });
});
