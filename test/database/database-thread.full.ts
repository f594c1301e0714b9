import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
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
let folder: TemporaryFolder;
let database: Database;
const reports: string[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
  await copyMigratedDatabase(folder.path);
  database = await openDatabase({ dataDir: folder.path, report: (sentence) => reports.push(sentence) });
});
afterAll(async () => {
  await database.close();
  threads.restore();
  await folder[Symbol.asyncDispose]();
});

const answers = (): Promise<boolean> =>
  database.ping().then(
    () => true,
    () => false,
  );
const rows = async (): Promise<string[]> =>
  (await database.orm.select().from(stagedFiles)).map(({ uploadId }) => uploadId).toSorted();

test('a database thread that ends under load is replaced, and loses no commit and no listener', async () => {
  const staged = createStagedFiles(database);
  const heard: (string | null)[] = [];
  await database.listen('restarts', (payload) => heard.push(payload));
  const committed: string[] = [];
  for (let kill = 0; kill < 3; kill += 1) {
    const refused: unknown[] = [];
    const writes = Array.from({ length: 20 }, async (_, index) => {
      const id = `upl_${kill}_${String(index).padStart(2, '0')}`;
      await staged.add(id, 'key').then(
        () => committed.push(id),
        (error: unknown) => refused.push(error),
      );
    });
    const open = database.orm
      .transaction(async (tx) => {
        const createdAt = new Date().toISOString();
        await tx.insert(stagedFiles).values({ uploadId: `upl_open_${kill}`, objectKey: 'key', createdAt });
        await threads.latest().terminate();
        await poll(answers).toBe(true);
        // The transaction is gone with its thread, and must not go on without one.
        await tx.execute(sql`select 1`);
      })
      .catch((error: unknown) => error);
    await Promise.all(writes);
    expect(failedMachinery(await open)).toBe('database');
    expect(refused.filter((error) => failedMachinery(error) !== 'database')).toEqual([]);
  }
  expect(threads.count()).toBe(4);
  const kept = await rows();
  expect(kept).toEqual(expect.arrayContaining(committed));
  expect(kept.filter((id) => id.startsWith('upl_open'))).toEqual([]);
  await database.orm.execute(sql`select pg_notify('restarts', 'after')`);
  await poll(() => heard).toEqual([null, null, null, 'after']);
});

test('a fourth end within ten minutes is followed by a start, too', async () => {
  await threads.latest().terminate();
  await poll(() => database.problem()).toBe('The embedded database does not run.');
  await poll(threads.count).toBe(5);
  await poll(answers).toBe(true);
  expect(reports.at(-1)).toMatch(/^The embedded database has ended by itself, and is started again in \d+ s\.$/);
});
