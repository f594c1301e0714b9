import type { Database } from './database.ts';
import { openEmbedded } from './embedded/open-embedded.ts';
import { openPostgres } from './postgres/open-postgres.ts';

export interface DatabaseOptions {
  /** `postgres://…`; absent: the embedded database in `dataDir` */
  url?: string;
  /** Folder for all data of Burnish; created when absent */
  dataDir: string;
  report?: (sentence: string) => void;
}

/**
 * Opens the database and brings its schema up to date.
 * @throws Error with one sentence for the operator, without the password: PostgreSQL is unreachable, another process
 * uses the data folder, or the database is older than 1.0.0-rc.2
 */
export function openDatabase({ url, dataDir, report = () => undefined }: DatabaseOptions): Promise<Database> {
  return url === undefined ? openEmbedded(dataDir, report) : openPostgres(url);
}
