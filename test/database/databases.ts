import { openDatabase } from '../../src/database/open.ts';
import type { Database } from '../../src/database/database.ts';
import { openMigratedDatabase } from '../support/migrated-database.ts';
import { startPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface TestDatabase {
  database: Database;
  close(): Promise<void>;
}

async function openOnPostgres(): Promise<TestDatabase> {
  const postgres = await startPostgres();
  const database = await openDatabase({ url: postgres.url, dataDir: '' });
  return {
    database,
    async close() {
      await database.close();
      await postgres[Symbol.asyncDispose]();
    },
  };
}

async function openEmbedded(): Promise<TestDatabase> {
  const folder = await temporaryFolder();
  const database = await openMigratedDatabase(folder.path);
  return {
    database,
    async close() {
      await database.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** For `describe.each`: the same tests run on both. Open one a file: each takes a second or more. */
export const DATABASES: [name: string, open: () => Promise<TestDatabase>][] = [
  ['PostgreSQL', openOnPostgres],
  ['the embedded database', openEmbedded],
];
