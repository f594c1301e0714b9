import { expect, it } from '@jest/globals';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processReadiness } from '../../src/runtime/readiness.ts';
import { createLeases } from '../../src/database/leases.ts';
import { createDatabaseProbe } from '../../src/runtime/database-probe.ts';
import { createStorageProbe } from '../../src/runtime/storage-probe.ts';
import { openFilesystemStore } from '../../src/storage/filesystem/filesystem.ts';
import { watchMarker, writeMarker } from '../../src/storage/marked-storage.ts';
import { unmount } from '../support/marked-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openTestDatabase } from '../support/test-database.ts';

type Parts = Parameters<typeof processReadiness>;

const answers = () => Promise.resolve();
const fails = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:7233'));

function readiness({
  ping = answers as () => Promise<unknown>,
  ask = answers,
  running = true,
  dataDir = '/tmp',
  probeDatabase = async (): Promise<string[]> => [],
}) {
  const client = { workflowService: { getSystemInfo: ask }, withDeadline: (_: number, call: () => unknown) => call() };
  const parts = { database: { ping }, dataDir, probeStorage: async () => [], probeDatabase } as unknown as Parts[0];
  return processReadiness(parts, { client } as unknown as Parts[1], { running: () => running }, 'bubblewrap');
}

it('a process is ready while its workers run, and the database, storage and Temporal answer', async () => {
  expect(await readiness({})).toEqual({ ready: true, problems: [], sandbox: 'bubblewrap' });
});

it('readiness names each missing part without the reason', async () => {
  expect(await readiness({ ping: fails })).toMatchObject({
    ready: false,
    problems: ['The database does not respond.'],
  });
  expect(await readiness({ ask: fails })).toMatchObject({ ready: false, problems: ['Temporal does not respond.'] });
  expect(await readiness({ dataDir: '/nowhere' })).toMatchObject({
    ready: false,
    problems: ['The disk of the data folder cannot be read.'],
  });
  const expired = () => Promise.reject(Object.assign(new Error(), { code: 7, details: '', metadata: {} }));
  expect(await readiness({ ask: expired })).toMatchObject({
    ready: false,
    problems: [expect.stringMatching(/refuses access: check TEMPORAL_API_KEY/)],
  });
  const { problems } = await readiness({ ping: fails, ask: fails, running: false });
  expect(problems).toHaveLength(3);
});

it('a part that never answers is reported as unavailable after two seconds', async () => {
  const startedAt = performance.now();
  const { problems } = await readiness({ ping: () => new Promise(() => undefined) });
  expect(problems).toEqual(['The database does not respond.']);
  expect(performance.now() - startedAt).toBeLessThan(4_000);
});

it('readiness writes to the database, and names a full disk of a server that still answers reads', async () => {
  const database = await openTestDatabase();
  try {
    const ping = () => database.ping();
    const probe = () => createDatabaseProbe(createLeases(database));
    expect(await readiness({ ping, probeDatabase: probe() })).toMatchObject({ ready: true });
    expect(await database.orm.execute('select name from leases')).toMatchObject({ rows: [] });
    await database.orm.execute(
      "create function full_disk() returns trigger as $$ begin raise exception 'no space' using errcode = '53100'; end $$ language plpgsql",
    );
    await database.orm.execute('create trigger full_disk before insert on leases execute function full_disk()');
    const problems = ['The disk of the database is full.'];
    expect(await readiness({ ping, probeDatabase: probe() })).toMatchObject({ ready: false, problems });
    await database.orm.execute('drop trigger full_disk on leases');
    await database.orm.execute('alter table leases rename to leases_away');
    const away = await readiness({ ping, probeDatabase: probe() });
    expect(away).toMatchObject({ ready: false, problems: ['The database does not respond.'] });
  } finally {
    await database.close();
  }
});

it('readiness writes and reads storage again after ten seconds, and reports a missing folder', async () => {
  await using folder = await temporaryFolder();
  const root = join(folder.path, 'objects');
  const store = await openFilesystemStore(root);
  let nowMs = 0;
  const seen = { recent: () => Promise.resolve(undefined) };
  const look = createStorageProbe(store, seen, () => nowMs);
  expect(await look()).toEqual([]);
  await rm(root, { recursive: true });
  await writeFile(root, 'a file is in the way');
  expect(await look()).toEqual([]);
  nowMs = 10_000;
  expect(await look()).toEqual(['Storage is not readable and writable.']);
});

it('readiness reports at once an empty folder in the place of the storage', async () => {
  await using folder = await temporaryFolder();
  const root = join(folder.path, 'objects');
  const store = await openFilesystemStore(root);
  await writeMarker(store, 'ours');
  const marker = watchMarker({ store, expectedId: () => Promise.resolve('ours') });
  const look = createStorageProbe(store, marker);
  expect(await look()).toEqual([]);
  const remount = await unmount(root);
  expect(await look()).toEqual([
    'Storage carries no marker of this instance: it is not mounted, is empty, or is another one.',
  ]);
  expect(await readdir(root)).toEqual([]);
  await remount();
  expect(await look()).toEqual([]);
});
