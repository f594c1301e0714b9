import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { statement } from '../../src/database/statement.ts';
import { DATABASES, type TestDatabase } from './databases.ts';

const DOUBLED = statement<{ text: string; number: number; at: string }>(
  'doubled',
  `
  -- A colon: it names nothing here
  select :text || ' and ' || :text as text, 2 * :number::integer as number, '12:30' as at`,
);

describe.each(DATABASES)('a statement on %s', (_name, open) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  test('takes values by their names, each as often as the text has it', async () => {
    const { orm } = opened.database;
    expect(await DOUBLED(orm, { text: 'a:b', number: 4 })).toEqual([{ text: 'a:b and a:b', number: 8, at: '12:30' }]);
    await expect(DOUBLED(orm, { text: 'a' })).rejects.toThrow('The statement doubled needs the value number.');
  });

  test('is prepared once on a connection', async () => {
    await opened.database.orm.transaction(async (tx) => {
      for (const number of [1, 2, 3]) await DOUBLED(tx, { text: 'a', number });
      const { rows } = await tx.execute(
        sql`select statement from pg_prepared_statements where statement like '%2 * $3::integer%'`,
      );
      expect(rows).toHaveLength(1);
    });
  });
});
