import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { StartupError } from '../domain/startup-error.ts';
import { MIGRATIONS } from './database.ts';

type Migrated = Parameters<typeof migrate>[0];

/**
 * Brings the schema up to date. A database may also have migrations that are newer than this build, which a later build added.
 * @throws StartupError for a database with any other migration
 */
export async function migrateDatabase(orm: Migrated): Promise<void> {
  const own = readMigrationFiles(MIGRATIONS);
  const hashes = new Set(own.map(({ hash }) => hash));
  const isOurs = ({ hash, at }: AppliedMigration): boolean => hashes.has(hash) || at > own.at(-1)!.folderMillis;
  if (!(await appliedMigrations(orm)).every(isOurs)) {
    throw new StartupError(
      'The database is not one of Burnish 1.0.0-rc.2 or later: set BURNISH_DATA_DIR to a new folder and, with PostgreSQL, DATABASE_URL to a new database.',
    );
  }
  await migrate(orm, MIGRATIONS);
}

interface AppliedMigration {
  hash: string;
  /** Its time in the journal, milliseconds since the epoch */
  at: number;
}

/** The migrations that the database has; none for a new one. */
async function appliedMigrations(orm: Migrated): Promise<AppliedMigration[]> {
  const { rows: tables } = await orm.execute(sql`select to_regclass('drizzle.__drizzle_migrations') as found`);
  if (tables[0]?.['found'] === null) return [];
  const { rows } = await orm.execute(sql`select hash, created_at from drizzle.__drizzle_migrations`);
  return rows.map(({ hash, created_at: at }) => ({ hash: String(hash), at: Number(at) }));
}
