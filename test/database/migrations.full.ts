import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { Client } from 'pg';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from '@jest/globals';
import { createApiKeys } from '../../src/database/accounts/api-keys.ts';
import { createCreditLedger } from '../../src/database/credits/credit-ledger.ts';
import { MIGRATIONS } from '../../src/database/database.ts';
import { type DatabaseOptions, openDatabase } from '../../src/database/open.ts';
import { createEnhancements } from '../../src/database/uploads/enhancements.ts';
import { createUploads } from '../../src/database/uploads/uploads.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { startPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ROWS_SINCE } from './migration-rows.ts';
import { expectNamed } from '../support/expect-named.ts';
import { useForFile } from '../support/use-for.ts';
import { testVault } from '../support/test-vault.ts';

interface Journal {
  entries: { idx: number; tag: string; when: number }[];
}
type Row = Record<string, unknown>;
/** Every row of every table of ours, by the name of the table */
type Contents = Record<string, Row[]>;

const { migrationsFolder } = MIGRATIONS;
const journal = JSON.parse(await readFile(join(migrationsFolder, 'meta', '_journal.json'), 'utf8')) as Journal;

const postgres = useForFile(() => startPostgres());

async function tablesOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
  );
  return rows.map(({ name }) => name);
}

async function contentsOf(client: Client): Promise<Contents> {
  const contents: Contents = {};
  for (const table of await tablesOf(client)) {
    const { rows } = await client.query<{ row: Row }>(`select to_jsonb(t) as row from "${table}" t order by t::text`);
    contents[table] = rows.map(({ row }) => row);
  }
  return contents;
}

/** Columns, indexes, constraints, triggers and functions: what a migration can change besides rows. */
async function schemaOf(client: Client): Promise<Row[][]> {
  const queries = [
    `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns where table_schema = 'public' order by 1, 2`,
    `select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1`,
    `select conrelid::regclass::text as place, conname, pg_get_constraintdef(oid) as rule from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`,
    `select tgname, pg_get_triggerdef(oid) as rule from pg_trigger where not tgisinternal order by 1`,
    `select proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace order by 1`,
  ];
  const results: Row[][] = [];
  for (const text of queries) results.push((await client.query<Row>(text)).rows);
  return results;
}

interface Column {
  table_name: string;
  column_name: string;
  is_nullable: string;
  column_default: string | null;
}

/** A row with what a migration changes in it on purpose. */
function asKept(tag: string, table: string, row: Row): Row {
  if (tag === '0003_erasure' && table === 'idempotency_keys')
    return { ...row, key: expect.stringMatching(/^[0-9a-f]{64}$/) };
  if (tag !== '0002_secret_addresses') return row;
  const { body: _body, ...others } = row;
  if (table === 'remote_events') return others;
  return table === 'upload_starts' ? { ...row, input: JSON.stringify(row['input']).replaceAll(':', ': ') } : row;
}

/** Columns that processes of the release before a migration leave empty after it, and may not. */
function newDemands(before: readonly Column[], after: readonly Column[]): string[] {
  const nameOf = ({ table_name, column_name }: Column): string => `${table_name}.${column_name}`;
  const isDemanded = ({ is_nullable, column_default }: Column) => is_nullable === 'NO' && column_default === null;
  const [tables, known] = [before.map(({ table_name }) => table_name), before.filter(isDemanded).map(nameOf)];
  const inThem = after.filter((column) => tables.includes(column.table_name) && isDemanded(column));
  return inThem.map(nameOf).filter((name) => !known.includes(name));
}

/** The migrations as they were when the given one was the newest. */
async function migrationsUntil(idx: number, folder: string): Promise<string> {
  const until = join(folder, String(idx));
  await mkdir(until);
  await cp(migrationsFolder, until, { recursive: true });
  const entries = journal.entries.filter((entry) => entry.idx <= idx);
  await writeFile(join(until, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries }));
  return until;
}

test('every migration keeps the rows of an instance that began with the first one, on PostgreSQL', async () => {
  await using folder = await temporaryFolder();
  const url = await postgres.createDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  let before: Contents = {};
  let columns: Column[] = [];
  const untouched = new Set(Object.keys(ROWS_SINCE));
  for (const { idx, tag } of journal.entries) {
    await migrate(drizzle(client), { migrationsFolder: await migrationsUntil(idx, folder.path) });
    const after = await contentsOf(client);
    for (const [table, rows] of Object.entries(before)) {
      // A column may have come; what was there stays.
      const kept = rows.map((row) => asKept(tag, table, row));
      expectNamed(after[table], `${table} after ${tag}`).toMatchObject(kept);
    }
    const [next] = await schemaOf(client);
    expectNamed(newDemands(columns, next as unknown as Column[]), tag).toEqual([]);
    columns = next as unknown as Column[];
    for (const statement of ROWS_SINCE[tag] ?? []) await client.query(statement);
    untouched.delete(tag);
    before = await contentsOf(client);
  }
  expect([...untouched]).toEqual([]);
  expect(Object.values(before).flat().length).toBeGreaterThan(20);
  const upgraded = await schemaOf(client);

  // The stores of the present version read and go on with it.
  const database = await openDatabase({ url, dataDir: folder.path });
  const [account, upload] = ['acc_1', 'upl_1'];
  expect(await createUploads(database, testVault).get(account, upload)).toMatchObject({
    status: 'UPLOAD_FINISHED',
    waitingFor: null,
  });
  expect(await createEnhancements(database).get(account, 'enh_2')).toMatchObject({ status: 'AWAITING_CREDITS' });
  expect(await createApiKeys(database).list(account, { includeInternal: true })).toMatchObject([
    { id: 'key_1', scopes: ['read', 'uploads'], expiresAt: null, internal: false },
    { id: 'key_2', name: 'Commands on this machine', internal: true },
  ]);
  const inMarch = Date.parse('2025-03-20T00:00:00Z');
  expect(await createCreditLedger(database).balance(account, inMarch)).toMatchObject({ remaining: 96, used: 4 });
  for (const table of ['credit_entries', 'audit_entries']) {
    await expect(client.query(`delete from ${table}`)).rejects.toThrow('append-only');
  }
  await database.close();
  await client.end();

  const fresh = new Client({ connectionString: postgres.url });
  await (await openDatabase({ url: postgres.url, dataDir: folder.path })).close();
  await fresh.connect();
  expect(upgraded).toEqual(await schemaOf(fresh));
  await fresh.end();
});

describe('a database with other migrations', () => {
  const onPostgres = async (dataDir: string): Promise<DatabaseOptions> => ({
    url: await postgres.createDatabase(),
    dataDir,
  });
  const embedded = async (dataDir: string): Promise<DatabaseOptions> => {
    await copyMigratedDatabase(dataDir);
    return { dataDir };
  };
  const kinds: [string, typeof embedded][] = [
    ['PostgreSQL', onPostgres],
    ['the embedded database', embedded],
  ];

  /** Changes the recorded migrations of a new database. */
  async function changeRecorded(options: DatabaseOptions, ...statements: string[]): Promise<void> {
    const { orm, close } = await openDatabase(options);
    for (const statement of [...statements, ...ROWS_SINCE['0000_init']!.slice(0, 1)]) {
      await orm.execute(sql.raw(statement));
    }
    await close();
  }

  const other = (at: number): string =>
    `insert into drizzle.__drizzle_migrations (hash, created_at) values ('of another', ${at})`;

  test.each([
    ['only', ['delete from drizzle.__drizzle_migrations', other(journal.entries[0]!.when)]],
    ['also', [other(journal.entries[0]!.when - 1)]],
  ])('that has %s one from before 1.0.0-rc.2 is refused with the remedy, and stays as it is', async (_, statements) => {
    for (const [kind, newOptions] of kinds) {
      await using folder = await temporaryFolder();
      const options = await newOptions(folder.path);
      await changeRecorded(options, ...statements);
      for (const _ of [1, 2]) {
        expectNamed(await openDatabase(options).catch((error: Error) => error.message), kind).toBe(
          'The database is not one of Burnish 1.0.0-rc.2 or later: set BURNISH_DATA_DIR to a new folder and, with PostgreSQL, DATABASE_URL to a new database.',
        );
      }
    }
  });

  test('that a later version added opens, for a return to this version', async () => {
    for (const [kind, newOptions] of kinds) {
      await using folder = await temporaryFolder();
      const options = await newOptions(folder.path);
      await changeRecorded(options, other(journal.entries.at(-1)!.when + 1));
      const { orm, close } = await openDatabase(options);
      const { rows } = await orm.execute(sql.raw('select name from accounts'));
      expectNamed(rows, kind).toEqual([{ name: 'First' }]);
      await close();
    }
  });
});
