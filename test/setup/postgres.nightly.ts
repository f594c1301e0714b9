import { join } from 'node:path';
import { Client } from 'pg';
import { expect, test } from '@jest/globals';
import { packagedBinaries } from '../support/postgres-binaries.ts';
import { startPostgres } from '../support/postgres.ts';

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows[0];
  } finally {
    await client.end();
  }
}

test('a PostgreSQL server for tests gives every test its own database', async () => {
  await using postgres = await startPostgres();
  await ask(postgres.url, 'CREATE TABLE here (id int)');
  const other = await postgres.createDatabase();
  expect(await ask(postgres.url, "SELECT to_regclass('here')::text AS found")).toEqual({ found: 'here' });
  expect(await ask(other, "SELECT to_regclass('here')::text AS found")).toEqual({ found: null });
});

test('a machine without PostgreSQL installs it from the development packages', async () => {
  await using postgres = await startPostgres(packagedBinaries);
  expect(await ask(postgres.url, 'SHOW data_directory')).toEqual({
    data_directory: expect.stringContaining(join('burnish-test-')) as unknown as string,
  });
  expect(await ask(postgres.url, 'SHOW server_version_num')).toEqual({
    server_version_num: expect.stringMatching(/^18/),
  });
});
