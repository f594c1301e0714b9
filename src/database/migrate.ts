import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { StartupError } from '../domain/startup-error.ts';
import { MIGRATIONS } from './database.ts';

type Migrated = Parameters<typeof migrate>[0];

/**
 * Brings the schema up to date. The first migration is the schema of 1.0.0-rc.1, and has the time of its last one, so a database of
 * rc.1 counts as migrated that far.
 * @throws StartupError for the database of an earlier version
 */
export async function migrateDatabase(orm: Migrated): Promise<void> {
  const last = await lastMigration(orm);
  const [first] = readMigrationFiles(MIGRATIONS);
  if (last !== undefined && last < first!.folderMillis) {
    throw new StartupError(
      'The database belongs to a version before 1.0.0-rc.1. Start 1.0.0-rc.1 with it once, and then this version.',
    );
  }
  await migrate(orm, MIGRATIONS);
}

/** The time of the newest migration that the database has, milliseconds since the epoch; undefined for a new database. */
async function lastMigration(orm: Migrated): Promise<number | undefined> {
  const { rows: tables } = await orm.execute(sql`select to_regclass('drizzle.__drizzle_migrations') as found`);
  if (tables[0]?.['found'] === null) return undefined;
  const { rows } = await orm.execute(sql`select max(created_at) as last from drizzle.__drizzle_migrations`);
  const last = rows[0]?.['last'];
  return last === null || last === undefined ? undefined : Number(last);
}
