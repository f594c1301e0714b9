import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open.ts';
import { makePrivateFolder } from '../database/private-folder.ts';
import type { Config } from './config.ts';

/**
 * Opens the database of this instance. An embedded one locks the data folder first, so that a second process exits before it
 * changes anything.
 */
export async function openInstanceDatabase(
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  log: Pick<Logger, 'error'>,
): Promise<Database> {
  const folder = resolve(dataDir);
  await makePrivateFolder(folder);
  return openDatabase({
    dataDir: folder,
    ...(databaseUrl === null ? {} : { url: databaseUrl }),
    report: (sentence) => log.error(sentence),
  });
}
