import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { UploadRecord } from '../e2e/api.ts';
import { type Instance, startInstance } from '../e2e/instance.ts';
import { processTree } from '../e2e/processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import {
  type After,
  afterTheCopy,
  approve,
  type Before,
  beforeTheCopy,
  deleted,
  PRICE,
  recorded,
  send,
} from './older/story.ts';

const LIMIT_MS = 900_000;

/** An instance that started with an older copy of its storage, and what it had done. */
interface Aged {
  instance: Instance;
  before: Before;
  after: After;
  /** Paths of the objects of an upload on disk */
  objectsOf(uploadId: string): Promise<string[]>;
}

/** Works, copies the storage, works again, puts the copy back, and counts. */
async function withOlderStorage(count: (aged: Aged) => Promise<void>): Promise<void> {
  await using folder = await temporaryFolder();
  const [dataDir, copy] = [join(folder.path, 'data'), join(folder.path, 'copy')];
  const files = join(dataDir, 'files');
  await using first = await startInstance({ dataDir });
  const { apiKey } = first;
  const before = await beforeTheCopy(first);
  expect(await first.stop()).toBe(0);
  await cp(files, copy, { recursive: true });

  await using second = await startInstance({ dataDir, apiKey });
  const after = await afterTheCopy(second, before);
  expect(await second.stop()).toBe(0);

  await rm(files, { recursive: true });
  await cp(copy, files, { recursive: true });
  await using instance = await startInstance({ dataDir, apiKey });
  const objectsOf = async (id: string): Promise<string[]> =>
    (await readdir(files, { recursive: true })).filter((path) => path.includes(id) && path.endsWith('.object'));
  await count({ instance, before, after, objectsOf });
  expect(await instance.stop()).toBe(0);
}

/** An address of an earlier start has another port. */
const here = ({ url }: Instance, address: string): string => address.replace(/^http:\/\/[^/]+/, url);

test(
  'storage that is older than both ends open work without a charge, repeats deletions and keeps what it has',
  () =>
    withOlderStorage(async ({ instance, before, after, objectsOf }) => {
      const { api } = instance;
      const { plain, toDelete, estimated, credits } = before;
      await approve(instance, after.late.id);
      await api.reached(after.late.id, 'FINISHED');
      const lost = after.added.enhancements[0]!;
      const path = `/v1/uploads/${after.added.id}/enhancements`;
      const body = { enhancements: [{ mode: 'VIVID' }] };
      const { enhancements } = (await api.call<{ enhancements: [{ id: string }] }>('POST', path, { body })).body;
      expect(await api.reached(enhancements[0].id, 'ERROR', 'FINISHED')).toMatchObject({
        errorCode: 'ORIGINAL_MISSING',
      });
      expect(await api.credits()).toMatchObject({ reserved: 0, used: credits.used + 3 * PRICE });
      expect((await fetch(here(instance, lost.fullUrl!))).status).toBe(404);
      await until(async () => ((await objectsOf(toDelete.id)).length === 0 ? true : undefined));
      for (const id of [plain.id, estimated.id, after.added.id]) {
        expect((await api.call('DELETE', `/v1/uploads/${id}`)).status).toBe(202);
        await deleted(instance, id);
      }
    }),
  LIMIT_MS,
);

test.each([
  ['at rest in a moment, as by a snapshot', 'snapshot'],
  ['file by file', 'files'],
])(
  'a copy of the whole data folder of a running instance (%s) has everything that was finished before',
  async (_, way) => {
    await using folder = await temporaryFolder();
    const [dataDir, copy] = [join(folder.path, 'data'), join(folder.path, 'copy')];
    await using first = await startInstance({ dataDir });
    const { apiKey } = first;
    const before = await beforeTheCopy(first);
    // Uploads arrive and are enhanced during the copy.
    let sending = true;
    const load = (async () => {
      for (let seed = 100; sending; seed += 1) await send(first, seed, [{}]);
    })();
    const processes = way === 'snapshot' ? processTree(first.pid) : [];
    for (const { pid } of processes) process.kill(pid, 'SIGSTOP');
    await cp(dataDir, copy, { recursive: true, filter: isKept });
    for (const { pid } of processes) process.kill(pid, 'SIGCONT');
    sending = false;
    await load;
    expect(await first.stop()).toBe(0);

    await rm(dataDir, { recursive: true });
    await cp(copy, dataDir, { recursive: true });
    await using instance = await startInstance({ dataDir, apiKey });
    const { api } = instance;
    const { items } = (await api.get<{ items: UploadRecord[] }>('/v1/uploads?limit=100')).body;
    const known = items.map(({ id }) => id);
    for (const { id } of [before.plain, before.toDelete, before.estimated]) expect(known).toContain(id);
    await approve(instance, before.estimated.enhancements[0]!.id);
    let lost = 0;
    for (const id of known) {
      const { enhancements } = await recorded(instance, id);
      for (const { fullUrl, status, errorCode } of enhancements) {
        // File by file, a record may be newer than the copied files.
        const isNewer = way === 'files' && ![before.toDelete.id, before.estimated.id].includes(id);
        if (isNewer && status === 'ERROR') {
          expect(errorCode).toBe('ORIGINAL_MISSING');
          lost += 1;
          continue;
        }
        expect(status).toBe('FINISHED');
        expect((await fetch(here(instance, fullUrl!))).status).toBe(200);
      }
    }
    // The enhancement that was approved has the price of X2, each other one a credit, and a lost one costs nothing.
    const others = known.length - 2 - lost;
    expect(await api.credits()).toMatchObject({ used: others + PRICE, reserved: 0 });
    for (const id of known) {
      expect((await api.call('DELETE', `/v1/uploads/${id}`)).status).toBe(202);
      await deleted(instance, id);
    }
    expect(await instance.stop()).toBe(0);
  },
  LIMIT_MS,
);

/** Sockets cannot be copied, and locks belong to processes. */
const isKept = (path: string): boolean => !/\/(operator|locks|scratch|scratch-previews)$/.test(path);
