import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from '@jest/globals';
import { describeError } from '../../src/cli/describe-error.ts';
import { containsDatabase } from '../../src/database/embedded/damage.ts';
import { openDatabase } from '../../src/database/open.ts';
import { failedMachinery } from '../../src/domain/failed-machinery.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Opens a copied database after a damage, and closes it if it opens. @returns what the command would print */
async function openAfter(damage: (database: string) => Promise<unknown>): Promise<{ said: string; path: string }> {
  await using folder = await temporaryFolder();
  await copyMigratedDatabase(folder.path);
  const path = join(folder.path, 'database');
  await damage(path);
  const said = await openDatabase({ dataDir: folder.path }).then(
    async (database) => {
      await database.close();
      return 'It opened.';
    },
    (error: unknown) => describeError(error),
  );
  return { said, path };
}

const lose = (name: string) => (path: string) => rm(join(path, name), { recursive: true });
const cut = (name: string, bytes: number) => (path: string) => truncate(join(path, name), bytes);
/** Writes random bytes over the start of a file, or over the whole file. */
const garble = (name: string, bytes?: number) => async (path: string) => {
  await using file = await open(join(path, name), 'r+');
  await file.write(randomBytes(bytes ?? (await file.stat()).size), 0, undefined, 0);
};
const eachSegment = (damage: (name: string) => (path: string) => Promise<unknown>) => async (path: string) => {
  const names = (await readdir(join(path, 'pg_wal'))).filter((name) => /^[0-9A-F]{24}$/.test(name));
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) await damage(`pg_wal/${name}`)(path);
};
/** PostgreSQL's catalogue of relations, in the only database of its cluster */
const CATALOGUE = 'base/5/1259';

describe('a start on a damaged database names the damage and the remedy in one line', () => {
  // PostgreSQL ends by a fatal error, by a panic, at a checksum, and goes on after an error.
  test.each<[string, (path: string) => Promise<unknown>, string]>([
    ['PG_VERSION is empty', cut('PG_VERSION', 0), '"/pglite/data" is not a valid data directory'],
    ['the log is random', eachSegment(garble), 'could not locate a valid checkpoint record'],
    ['the catalogue is random', garble(CATALOGUE, 4_096), `invalid page in block 0 of relation "${CATALOGUE}"`],
    ['the functions are lost', lose('base/5/1255'), 'could not open file "base/5/1255"'],
  ])('%s', async (_, damage, problem) => {
    const { said, path } = await openAfter(damage);
    expect(said).toContain(`The database in ${path} is damaged: ${problem}`);
    expect(said).toMatch(/^[^\n]+\. Restore the whole data folder from a backup\.$/);
  });
});

test('a folder that lacks a part is refused before PostgreSQL sees it', async () => {
  await using folder = await temporaryFolder();
  const parts = ['PG_VERSION', 'base', 'global', 'global/pg_control', 'pg_wal', 'pg_xact', 'postgresql.conf'];
  for (const [index, lost] of parts.entries()) {
    const path = join(folder.path, String(index));
    // A folder stands for each file: the check asks only whether it is there.
    for (const part of parts.filter((each) => !each.startsWith(lost)))
      await mkdir(join(path, part), { recursive: true });
    await expect(containsDatabase(path)).rejects.toThrow(
      `The database in ${path} is damaged: it lacks ${lost}. Restore the whole data folder from a backup.`,
    );
  }
});

test('a start without PG_VERSION changes no file', async () => {
  await using folder = await temporaryFolder();
  await copyMigratedDatabase(folder.path);
  const path = join(folder.path, 'database');
  await rm(join(path, 'PG_VERSION'));
  const control = await readFile(join(path, 'global', 'pg_control'));
  await expect(openDatabase({ dataDir: folder.path })).rejects.toThrow('it lacks PG_VERSION');
  expect((await readFile(join(path, 'global', 'pg_control'))).equals(control)).toBe(true);
});

test('a query of a damaged table is trouble of the database, and ends a start in one line', async () => {
  await using folder = await temporaryFolder();
  await copyMigratedDatabase(folder.path);
  const database = await openDatabase({ dataDir: folder.path });
  try {
    const { rows } = await database.orm.execute(sql`select pg_relation_filepath('accounts') as file`);
    await rm(join(folder.path, 'database', String(rows[0]!['file'])));
    const refused = await database.orm.execute(sql`select * from accounts`).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failedMachinery(refused)).toBe('database');
    expect(describeError(refused)).toMatch(
      /^The embedded database is damaged \(could not open file .*\)\. Restore the whole data folder from a backup\.$/,
    );
  } finally {
    await database.close();
  }
});
