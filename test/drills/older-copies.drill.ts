import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type Instance, startInstance } from '../e2e/instance.ts';
import { webhookReceiver } from '../e2e/webhook-receiver.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { type After, afterTheCopy, approve, type Before, beforeTheCopy, deleted, PRICE } from './older/story.ts';
import { restoreCopy } from './older/restore-copy.ts';
import { noHarm } from './proof/proof.ts';

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

test.each(['snapshot', 'files'] as const)(
  'a copy of the data folder of a running instance (%s) has everything that was finished before',
  async (way) => {
    await using receiver = await webhookReceiver();
    const times = { beforeMs: 15_000, afterMs: 5_000, perSecond: 1 };
    const { known, newer: _, stallSeconds: __, ...harm } = await restoreCopy(way, receiver, times);
    expect(known).toBeGreaterThan(0);
    expect(harm).toEqual(noHarm());
  },
  LIMIT_MS,
);
