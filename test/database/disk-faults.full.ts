import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeError } from '../../src/cli/describe-error.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { stagedFiles } from '../../src/database/schema/requests.ts';
import { createStagedFiles } from '../../src/database/uploads/staged-files.ts';
import { failedMachinery } from '../../src/domain/failed-machinery.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { poll } from '../support/poll.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { breakableThreads } from './faulty-threads.ts';

const threads = breakableThreads();
afterAll(() => threads.restore());

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );

describe('a fault of the disk', () => {
  let folder: TemporaryFolder;
  let database: Database;
  const reports: string[] = [];
  const heard: (string | null)[] = [];
  const committed: string[] = [];
  let staged: ReturnType<typeof createStagedFiles>;

  beforeAll(async () => {
    folder = await temporaryFolder();
    await copyMigratedDatabase(folder.path);
    database = await openDatabase({ dataDir: folder.path, report: (sentence) => reports.push(sentence) });
    staged = createStagedFiles(database);
    await database.listen('faults', (payload) => heard.push(payload));
  });
  afterAll(async () => {
    await database.close();
    await folder[Symbol.asyncDispose]();
  });

  const add = async (id: string): Promise<unknown> => {
    const refused = await failureOf(staged.add(id, 'key'));
    if (refused === undefined) committed.push(id);
    return refused;
  };
  const rows = async (): Promise<string[]> =>
    (await database.orm.select().from(stagedFiles)).map(({ uploadId }) => uploadId);
  const run = (statement: string) => database.orm.execute(sql.raw(statement));

  test.each(['EIO', 'EROFS'] as const)(
    '%s stops PostgreSQL, which is opened again once, when the disk can be written',
    async (fault) => {
      const before = threads.count();
      await add(`upl_before_${fault}`);
      // The probe of the disk cannot create its file.
      const probe = join(folder.path, 'database', 'is-writable');
      await mkdir(probe);
      threads.setFault(fault);
      const refused = await Promise.all(Array.from({ length: 20 }, (_, index) => add(`upl_${fault}_${index}`)));
      expect(refused.map(failedMachinery)).toEqual(Array.from({ length: 20 }, () => 'database'));
      await poll(() => database.problem()).toBe('The embedded database does not run.');
      await poll(() => reports.at(-1)).toBe('The embedded database waits for its disk, which cannot be written.');
      expect(failedMachinery(await add(`upl_while_${fault}`))).toBe('database');
      // Longer than the pauses between restarts
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect(threads.count()).toBe(before);
      threads.setFault(undefined);
      await rmdir(probe);
      await poll(() => database.problem(), { timeout: 60_000 }).toBeUndefined();
      await poll(() => add(`upl_after_${fault}`)).toBeUndefined();
      expect(threads.count()).toBe(before + 1);
      expect(await rows()).toEqual(expect.arrayContaining(committed));
      heard.length = 0;
      await run(`select pg_notify('faults', 'after ${fault}')`);
      await poll(() => heard).toContain(`after ${fault}`);
    },
    120_000,
  );

  test('a file that could not be created is created when the disk has inodes again, by the same PostgreSQL', async () => {
    const before = threads.count();
    await run('create table counted as select generate_series(1, 1000) as number');
    threads.setFault('ENOSPC');
    // A vacuum creates the map of free space.
    for (let attempt = 0; attempt < 12; attempt += 1) {
      expect(failedMachinery(await failureOf(run('vacuum counted')))).toBe('disk');
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(await failureOf(database.ping())).toBeUndefined();
    threads.setFault(undefined);
    expect(await failureOf(run('vacuum counted'))).toBeUndefined();
    expect(threads.count()).toBe(before);
  });

  test('an error that returns though the disk is well again ends PostgreSQL, and a new one is free of it', async () => {
    const before = threads.count();
    await run('create table repeated as select generate_series(1, 1000) as number');
    threads.setFault('EEXIST');
    const first = await failureOf(run('vacuum repeated'));
    expect(first).toMatchObject({ cause: { cause: { code: '58P02' } } });
    // The third restart within ten minutes waits for five seconds.
    await poll(() => failureOf(run('vacuum repeated')), { interval: 300, timeout: 60_000 }).toBeUndefined();
    expect(threads.count()).toBe(before + 1);
    expect(await rows()).toEqual(expect.arrayContaining(committed));
  }, 120_000);
});

test.each([
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'its file system is read-only'],
  ['EIO', 'the disk reports an error'],
] as const)('a start on a disk with %s names the reason in one sentence', async (fault, reason) => {
  await using folder = await temporaryFolder();
  if (fault !== 'ENOSPC') await copyMigratedDatabase(folder.path);
  threads.setFault(fault);
  const refused = await failureOf(openDatabase({ dataDir: folder.path }));
  threads.setFault(undefined);
  const path = join(folder.path, fault === 'ENOSPC' ? 'database.new' : 'database');
  expect(describeError(refused)).toContain(`${path} cannot be written: ${reason}. `);
});
