import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Backend } from '../../src/database/embedded/backend.ts';
import { tidy } from '../../src/database/embedded/housekeeping.ts';
import type { Answer, Request } from '../../src/database/embedded/messages.ts';
import { Turns } from '../../src/database/embedded/turns.ts';

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
