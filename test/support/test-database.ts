import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { onceAProcess } from './once-a-process.ts';
import { type Postgres, runSql, startPostgres } from './postgres.ts';
import { spawnGuarded } from './spawn-guarded.ts';

/**
 * Opens an empty, migrated database of its own. It is a copy on a PostgreSQL server that all test files of a process share,
 * since opening an embedded one takes seconds of processor time. Closing drops it.
 */
export async function openTestDatabase(): Promise<Database> {
  const { postgres, template } = await onceAProcess('the shared PostgreSQL server', startShared);
  const url = await postgres.createDatabase(template);
  const database = await openDatabase({ url, dataDir: '' });
  return {
    ...database,
    async close() {
      await database.close();
      await runSql(postgres.url, `DROP DATABASE ${nameOf(url)} WITH (FORCE)`);
    },
  };
}

async function startShared(): Promise<{ postgres: Postgres; template: string }> {
  const postgres = await startPostgres(undefined, spawnGuarded);
  const migrated = await postgres.createDatabase();
  await (await openDatabase({ url: migrated, dataDir: '' })).close();
  return { postgres, template: nameOf(migrated) };
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);
