import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { lockDataFolder } from './data-folder-lock.ts';
import type { Database, Orm } from './database.ts';
import { keepHouse } from './embedded-housekeeping.ts';
import { MIGRATIONS } from './migrations-folder.ts';
import { startPglite } from './start-pglite.ts';
import { syncTree } from './sync-tree.ts';

/**
 * Opens the database in `<dataDir>/database`, made at the first start. A commit is on disk before it is acknowledged.
 * @throws Error when another process has the data folder open
 */
export async function openEmbedded(dataDir: string): Promise<Database> {
  const folder = resolve(dataDir);
  await mkdir(folder, { recursive: true });
  const unlock = await lockDataFolder(folder);
  try {
    const pglite = await openFolder(folder);
    const orm = drizzle(pglite);
    await migrate(orm, MIGRATIONS);
    const stopHousekeeping = keepHouse(pglite);
    return {
      kind: 'embedded',
      orm: orm as unknown as Orm,
      async ping() {
        await pglite.query('select 1');
      },
      async listen(channel, callback) {
        const stop = await pglite.listen(channel, callback);
        return () => stop();
      },
      async close() {
        await stopHousekeeping();
        await pglite.close();
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** A folder appears under its name only once it is whole and on disk, so that a kill in the first seconds leaves no ruin. */
async function openFolder(folder: string): Promise<PGlite> {
  const path = join(folder, 'database');
  if (!existsSync(path)) {
    const draft = `${path}.new`;
    await rm(draft, { recursive: true, force: true });
    await (await startPglite(draft)).close();
    await syncTree(draft);
    await rename(draft, path);
    await syncTree(folder, { deep: false });
  }
  return startPglite(path);
}
