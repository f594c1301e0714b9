import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { Client } from 'pg';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from '@jest/globals';
import { createApiKeys } from '../../src/database/accounts/api-keys.ts';
import { createCreditLedger } from '../../src/database/credits/credit-ledger.ts';
import { createHostedSlots } from '../../src/database/hosted/hosted-slots.ts';
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

/** Columns that processes of an earlier version leave empty after a migration, and may not. */
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
      expectNamed(after[table], `${table} after ${tag}`).toMatchObject(rows);
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
  expect(await createUploads(database).get(account, upload)).toMatchObject({
    status: 'UPLOAD_FINISHED',
    waitingFor: null,
  });
  expect(await createEnhancements(database).get(account, 'enh_2')).toMatchObject({ status: 'AWAITING_CREDITS' });
  expect(await createApiKeys(database).list(account, { includeInternal: true })).toMatchObject([
    { id: 'key_1', scopes: ['read', 'uploads', 'webhooks', 'keys', 'admin'], expiresAt: null, internal: false },
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

/** Times of the last two migrations of 1.0.0-rc.1, milliseconds since the epoch. */
const RC1 = { last: 1_795_743_471_547, before: 1_795_726_376_568 } as const;

/** Makes a database, with the schema of 1.0.0-rc.1 and an account. @param lastMs time of the newest of its migrations */
async function earlierDatabase(options: DatabaseOptions, lastMs: number): Promise<void> {
  const { orm, close } = await openDatabase(options);
  const times = Array.from({ length: 33 }, (_, index) => `('hash ${index}', ${lastMs - (32 - index) * 1_000})`);
  for (const statement of [
    'drop view destination_addresses',
    'alter table destination_urls rename to destination_addresses',
    'alter table destination_addresses rename constraint destination_urls_pkey to destination_addresses_pkey',
    'drop view remote_places',
    'alter table remote_slots rename to remote_places',
    'alter table remote_places rename constraint remote_slots_pkey to remote_places_pkey',
    'alter sequence remote_slots_seq_seq rename to remote_places_seq_seq',
    'alter table webhook_endpoints drop column format',
    'alter table webhook_events drop column public_data',
    'drop trigger credit_entries_until_settled on credit_entries',
    'drop function credit_entries_refuse_after_end',
    'delete from drizzle.__drizzle_migrations',
    `insert into drizzle.__drizzle_migrations (hash, created_at) values ${times.join(', ')}`,
    ...ROWS_SINCE['0000_init']!.slice(0, 1),
  ])
    await orm.execute(sql.raw(statement));
  await close();
}

describe('a database of an earlier version', () => {
  const onPostgres = async (dataDir: string): Promise<DatabaseOptions> => ({
    url: await postgres.createDatabase(),
    dataDir,
  });
  const embedded = async (dataDir: string): Promise<DatabaseOptions> => {
    await copyMigratedDatabase(dataDir);
    return { dataDir };
  };

  test.each([
    ['PostgreSQL', onPostgres],
    ['the embedded database', embedded],
  ])(
    'on %s counts as complete up to the last migration of 1.0.0-rc.1, and gets the later ones',
    async (_, newOptions) => {
      expect(journal.entries[0]).toMatchObject({ tag: '0000_init', when: RC1.last });
      await using folder = await temporaryFolder();
      const options = await newOptions(folder.path);
      await earlierDatabase(options, RC1.last);
      // The second opening finds nothing to do.
      for (const _ of [1, 2]) {
        const { orm, close } = await openDatabase(options);
        const read = async (text: string): Promise<unknown[]> => (await orm.execute(sql.raw(text))).rows;
        expect(await read('select id, name from accounts')).toEqual([{ id: 'acc_1', name: 'First' }]);
        expect(await read('select format from webhook_endpoints')).toEqual([]);
        const later = `select created_at::text as time from drizzle.__drizzle_migrations where created_at > ${RC1.last} order by 1`;
        expect(await read(later)).toEqual(journal.entries.slice(1).map(({ when }) => ({ time: String(when) })));
        await close();
      }
    },
  );

  test('shares the slots at the hosted service with a process of 1.0.0-rc.1 that still runs', async () => {
    await using folder = await temporaryFolder();
    const options = await onPostgres(folder.path);
    await earlierDatabase(options, RC1.last);
    const database = await openDatabase(options);
    const slots = createHostedSlots(database);
    expect(await slots.claim('acc_1', 'enh_new', 1)).toBe(true);
    // The statements of rc.1
    await database.orm.transaction(async (tx) => {
      await tx.execute(sql`lock table remote_places in share row exclusive mode`);
      await tx.execute(sql`insert into remote_places (enhancement_id, account_id, renewed_at) values ('enh_old', 'acc_1', now())
        on conflict (enhancement_id) do update set renewed_at = excluded.renewed_at returning granted_at`);
    });
    expect(await slots.release('enh_new', 1)).toBe('enh_old');
    await database.orm.execute(sql`delete from remote_places where enhancement_id = 'enh_old'`);
    expect(await slots.claim('acc_1', 'enh_next', 1)).toBe(true);
    await database.close();
  });

  test('is refused with the remedy if 1.0.0-rc.1 has never opened it, and stays as it is', async () => {
    await using folder = await temporaryFolder();
    const options = await onPostgres(folder.path);
    await earlierDatabase(options, RC1.before);
    for (const _ of [1, 2]) {
      await expect(openDatabase(options)).rejects.toThrow(
        'The database belongs to a version before 1.0.0-rc.1. Start 1.0.0-rc.1 with it once, and then this version.',
      );
    }
  });
});
