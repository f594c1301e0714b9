import { chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, jest, test } from '@jest/globals';
import { testUnless } from '../support/needs.ts';
import { packagedBinaries } from '../support/postgres-binaries.ts';
import { startPostgres } from '../support/postgres.ts';
import { spawnGuarded } from '../support/spawn-guarded.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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

testUnless(process.getuid?.() === 0 ? undefined : 'root')(
  'the server of root starts where its user can enter neither PATH nor TMPDIR',
  async () => {
    await using folder = await temporaryFolder();
    await chmod(folder.path, 0o700);
    for (const name of ['sh', 'id', 'rm']) await symlink(`/usr/bin/${name}`, join(folder.path, name));
    jest.replaceProperty(process, 'env', { ...process.env, PATH: folder.path, TMPDIR: folder.path });
    try {
      await using postgres = await startPostgres(packagedBinaries, spawnGuarded);
      expect(await ask(postgres.url, 'SELECT 1 AS one')).toEqual({ one: 1 });
    } finally {
      jest.restoreAllMocks();
    }
  },
);

test('a machine without PostgreSQL installs it from the development packages', async () => {
  await using postgres = await startPostgres(packagedBinaries);
  expect(await ask(postgres.url, 'SHOW data_directory')).toEqual({
    data_directory: expect.stringContaining(join('burnish-test-')) as unknown as string,
  });
  expect(await ask(postgres.url, 'SHOW server_version_num')).toEqual({
    server_version_num: expect.stringMatching(/^18/),
  });
});
