import type { Database } from '../../src/database/database.ts';
import { openMigratedDatabase } from '../support/migrated-database.ts';
import { openTestDatabase } from '../support/test-database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface TestDatabase {
  database: Database;
  close(): Promise<void>;
}

async function openOnPostgres(): Promise<TestDatabase> {
  const database = await openTestDatabase();
  return { database, close: () => database.close() };
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

/** For `describe.each`: the same tests run on both. Open one a file: the embedded one takes seconds. */
export const DATABASES: [name: string, open: () => Promise<TestDatabase>][] = [
  ['PostgreSQL', openOnPostgres],
  ['the embedded database', openEmbedded],
];
