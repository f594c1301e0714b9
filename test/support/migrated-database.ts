import { constants, cpSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { MIGRATIONS, type Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { makePrivateFolder } from '../../src/database/private-folder.ts';
import { hashFiles } from './hash-files.ts';
import { onceACheckout } from './once-a-checkout.ts';
import { onceAProcess } from './once-a-process.ts';
import { repositoryRoot } from './repository.ts';

/** Opens an embedded database in a new data folder. A copy with the schema opens in a quarter of the processor time. */
export async function openMigratedDatabase(dataDir: string): Promise<Database> {
  await copyMigratedDatabase(dataDir);
  return await openDatabase({ dataDir });
}

/** Copies an embedded database without records into a new data folder, as after its first opening. */
export async function copyMigratedDatabase(dataDir: string): Promise<void> {
  await makePrivateFolder(dataDir);
  // Its 1,200 files take a fraction of the processor time at once.
  cpSync(migratedDatabase, join(dataDir, 'database'), { recursive: true, mode: constants.COPYFILE_FICLONE });
}

async function createDatabase(): Promise<string> {
  const cache = join(repositoryRoot, '.cache');
  const path = join(cache, `database-${await versionOfSchema()}`);
  if (await exists(path)) return path;
  await makePrivateFolder(cache);
  const made = await mkdtemp(join(cache, 'database-in-the-making-'));
  try {
    await (await openDatabase({ dataDir: made })).close();
    await rename(join(made, 'database'), path);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return path;
}

async function versionOfSchema(): Promise<string> {
  const { migrationsFolder } = MIGRATIONS;
  const migrations = (await readdir(migrationsFolder)).filter((each) => each.endsWith('.sql'));
  return `${await hashFiles(migrationsFolder, migrations)}-${await hashFiles(pglite, ['package.json'])}`;
}

const pglite = dirname(dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')));

/** The types of Node.js lack it. */
const { WebAssembly: webAssembly } = globalThis as unknown as {
  WebAssembly: { compile(program: Uint8Array): Promise<object> };
};
// V8 compiles a program once for all threads while one of them holds it. So each further opening takes two thirds of the time.
await onceAProcess('the program of embedded databases', async () =>
  webAssembly.compile(await readFile(join(pglite, 'dist', 'pglite.wasm'))),
);

/**
 * Path of a database folder that no process has open (40 MB, kept under .cache/). Other migrations or another PostgreSQL create
 * a new one.
 */
const migratedDatabase = await onceACheckout('database', createDatabase);

function exists(path: string): Promise<boolean> {
  return readdir(path).then(
    () => true,
    () => false,
  );
}
