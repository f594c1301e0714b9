import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { newId, type Upload } from '@burnish/contract';
import { keepReconciled } from '../../../src/api/reconcile/keep-reconciled.ts';
import type { ReconcileDeps } from '../../../src/api/reconcile/reconcile-deps.ts';
import { repeatDeletions } from '../../../src/api/reconcile/repeat-deletions.ts';
import { createReconciliation } from '../../../src/database/uploads/reconciliation.ts';
import { uploads } from '../../../src/database/schema/uploads.ts';
import { CHECKPOINT_KEY, readMarker, writeMarker } from '../../../src/storage/marked-storage.ts';
import type { ObjectStore } from '../../../src/storage/object-store.ts';
import { openMarkedStore, unmount } from '../../support/marked-store.ts';
import { poll } from '../../support/poll.ts';
import { queryPlan } from '../../support/query-plan.ts';
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';

let gateway: TestGateway;
let folder: TemporaryFolder;
let storage: ObjectStore;
let now: number;
const iso = (hoursAgo: number): string => new Date(now - hoursAgo * 3_600_000).toISOString();

beforeAll(async () => {
  folder = await temporaryFolder();
  storage = await openMarkedStore(folder.path);
  gateway = await testGateway({ storage });
});
beforeEach(async () => {
  now = Date.now();
  await storage.delete(CHECKPOINT_KEY);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** A deleted upload whose files are in storage, as in an older copy. */
async function deletedUpload(hoursAgo: number): Promise<Upload> {
  const upload = await storedUpload(gateway, { status: 'UPLOAD_DELETED', deletedAt: iso(hoursAgo) });
  await storage.put(upload.objectKey!, Readable.from([Buffer.from('a file')]), { maxBytes: 100 });
  return upload;
}
/** The records of a deleted upload, and of others that differ from it in their time of deletion. */
async function deletedUploads(
  hoursAgo: number,
  others: readonly number[],
): Promise<Pick<Upload, 'id' | 'accountId'>[]> {
  const { id } = await deletedUpload(hoursAgo);
  const { orm } = gateway.database;
  const [row] = await orm.select().from(uploads).where(eq(uploads.id, id));
  const rows = others.map((hours) => ({ ...row!, id: newId('upl', now), deletedAt: iso(hours) }));
  await orm.insert(uploads).values(rows);
  return [row!, ...rows];
}
const hasFile = async ({ objectKey }: Upload): Promise<boolean> => (await storage.head(objectKey!)) !== undefined;
const repeat = (signal = new AbortController().signal): Promise<number> =>
  repeatDeletions(
    {
      reconciliation: createReconciliation(gateway.database),
      storage,
      now: () => now,
    },
    signal,
  );

describe('storage that is older than the records', () => {
  test('loses the files of uploads again that were deleted since its checkpoint', async () => {
    const [before, since, kept] = [await deletedUpload(90), await deletedUpload(20), await storedUpload(gateway)];
    await storage.put(kept.objectKey!, Readable.from([Buffer.from('a file')]), { maxBytes: 100 });
    await writeMarker(storage, iso(24), CHECKPOINT_KEY);
    expect(await repeat()).toBe(1);
    expect([await hasFile(since), await hasFile(before), await hasFile(kept)]).toEqual([false, true, true]);
    expect(await readMarker(storage, CHECKPOINT_KEY)).toBe(iso(0));
  });

  test('is searched in batches, also when many uploads were deleted at the same time', async () => {
    now += 365 * 24 * 3_600_000;
    const times = Array.from({ length: 205 }, (_, index) => index % 2);
    const all = await deletedUploads(1, times);
    await writeMarker(storage, iso(3), CHECKPOINT_KEY);
    const prefixes: string[] = [];
    const deletePrefix = jest.spyOn(storage, 'deletePrefix').mockImplementation(async (prefix) => {
      prefixes.push(prefix);
    });
    expect(await repeat()).toBe(206);
    deletePrefix.mockRestore();
    expect(new Set(prefixes)).toEqual(new Set(all.map(({ id, accountId }) => `${accountId}/${id}`)));
    expect(prefixes).toHaveLength(206);
  });

  test('keeps the checkpoint of completed batches after an interruption', async () => {
    now += 2 * 365 * 24 * 3_600_000;
    const times = Array.from({ length: 250 }, (_, index) => 299 - index);
    await deletedUploads(300, times);
    await writeMarker(storage, iso(310), CHECKPOINT_KEY);
    const ending = new AbortController();
    let deletions = 0;
    const deletePrefix = jest.spyOn(storage, 'deletePrefix').mockImplementation(async () => {
      if ((deletions += 1) === 220) ending.abort();
    });
    await expect(repeat(ending.signal)).rejects.toThrow('aborted');
    // The first batch has 200 uploads, those deleted 300 to 101 hours ago.
    expect(await readMarker(storage, CHECKPOINT_KEY)).toBe(iso(101));
    expect(await repeat()).toBeLessThan(60);
    deletePrefix.mockRestore();
  });

  test('is searched by an index, also after the first batch', async () => {
    const last = { id: newId('upl', now), accountId: gateway.account.id, deletedAt: iso(1) };
    for (const after of [undefined, last]) {
      const query = createReconciliation(gateway.database).deletedSince(iso(2), after, 200);
      const plan = await queryPlan(gateway.database, query, ['seqscan', 'sort']);
      expect(plan).toContain('Index Scan using uploads_deleted');
      expect(plan).not.toContain('Sort');
    }
  });

  test('may be of any age without a checkpoint', async () => {
    const upload = await deletedUpload(10_000);
    expect(await repeat()).toBeGreaterThan(0);
    expect(await hasFile(upload)).toBe(false);
    expect(await readMarker(storage, CHECKPOINT_KEY)).toBe(iso(0));
  });

  test('keeps its checkpoint while a deletion fails, so that the next run repeats it', async () => {
    const upload = await deletedUpload(2);
    await writeMarker(storage, iso(24), CHECKPOINT_KEY);
    const remount = await unmount(folder.path);
    await expect(repeat()).rejects.toThrow(/marker/);
    await remount();
    expect(await readMarker(storage, CHECKPOINT_KEY)).toBe(iso(24));
    await expect(repeat(AbortSignal.abort())).rejects.toThrow(/abort/);
    expect(await hasFile(upload)).toBe(true);
    await repeat();
    expect(await hasFile(upload)).toBe(false);
  });
});

/** A gateway that reconciles every 20 milliseconds. Nothing but storage has anything to repair. */
function reconciling(): { stop: () => Promise<void>; rounds: () => number } {
  let rounds = 0;
  const deps = {
    leases: { take: async () => true, isOlder: async () => false, release: async () => undefined },
    uploadStarts: { refusedBefore: async () => ((rounds += 1), []) },
    deletion: { open: async () => [] },
    batches: { listOpen: async () => [] },
    deliveries: { overdue: async () => [] },
    hosted: null,
    reconciliation: { ...createReconciliation(gateway.database), openUploads: async () => [], still: async () => [] },
    client: { workflow: { async *list() {} } },
    log: { info: () => undefined, warn: () => undefined },
    storage,
    now: () => now,
  };
  return { stop: keepReconciled(deps as unknown as ReconcileDeps, 20).stop, rounds: () => rounds };
}

describe('a running gateway', () => {
  test.each([
    ['an outage of storage in which an upload was deleted', 0],
    ['storage became an older copy', 20],
  ])('repeats deletions soon after %s', async (_what, hoursAgo) => {
    const live = await storedUpload(gateway);
    await storage.put(live.objectKey!, Readable.from([Buffer.from('a file')]), { maxBytes: 100 });
    const { stop, rounds } = reconciling();
    const further = async (): Promise<void> => {
      const before = rounds();
      await poll(rounds).toBeGreaterThan(before + 3);
    };
    const recordDeletion = () =>
      storedUpload(gateway, { ...live, revision: 1, status: 'UPLOAD_DELETED', deletedAt: iso(hoursAgo) });
    try {
      await poll(() => readMarker(storage, CHECKPOINT_KEY)).toBe(iso(0));
      await further();
      if (hoursAgo === 0) {
        const remount = await unmount(folder.path);
        await recordDeletion();
        await further();
        await remount();
      } else {
        await recordDeletion();
        await further();
        expect(await hasFile(live)).toBe(true);
        await writeMarker(storage, iso(24), CHECKPOINT_KEY);
      }
      await poll(() => hasFile(live)).toBe(false);
    } finally {
      await stop();
    }
  });
});
