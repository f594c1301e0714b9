import type { CountedBatch, Upload } from '@burnish/contract';
import { testVault } from '../support/test-vault.ts';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { and, eq } from 'drizzle-orm';
import { createBatchItems } from '../../src/database/batches/batch-items.ts';
import { createBatches } from '../../src/database/batches/batches.ts';
import type { Database } from '../../src/database/database.ts';
import { batches, batchItems } from '../../src/database/schema/batches.ts';
import { createUploads } from '../../src/database/uploads/uploads.ts';
import type { NewBatchItem } from '../../src/domain/batch/batch-rules.ts';
import * as ids from '@burnish/contract';
import { DATABASES, type TestDatabase } from './databases.ts';
import { addAccount, anUpload, AT } from './records.ts';

const SECOND_MS = 1_000;
const failed = { status: 'UPLOAD_FAILED', errorCode: 'CORRUPT_FILE' } as const;
const refused = { subStatus: 'METADATA_ANALYZED_FAILED', errorCode: 'ENCRYPTED_PDF' } as const;

describe.each(DATABASES)('batches on %s', (_name, open) => {
  let opened: TestDatabase;
  let database: Database;
  let accountId: string;

  beforeAll(async () => {
    opened = await open();
    database = opened.database;
    accountId = await addAccount(database);
  });
  afterAll(() => opened.close());

  async function aBatch(items: NewBatchItem[], given: Partial<CountedBatch> = { status: 'RUNNING' }): Promise<string> {
    const id = ids.newId('bat', Date.parse(AT));
    const stores = createBatches(database, testVault);
    const none = { preset: null, destination: null, maxCredits: null, reference: null };
    await stores.create({ id, accountId, parameters: {}, samples: 20, ...none }, null);
    await stores.addItems(accountId, id, items);
    await database.orm.update(batches).set(given).where(eq(batches.id, id));
    return id;
  }

  const change = (batchId: string, position: number, item: Partial<typeof batchItems.$inferInsert>) =>
    database.orm
      .update(batchItems)
      .set(item)
      .where(and(eq(batchItems.batchId, batchId), eq(batchItems.position, position)));

  const byAddress = (number: number): NewBatchItem[] =>
    Array.from({ length: number }, (_, n) => ({ key: `${n}`, url: `https://h/${n}`, uploadId: null, reference: null }));

  test('count the failed uploads among samples and other items, but no addresses', async () => {
    const items: NewBatchItem[] = [];
    const given: Partial<Upload>[] = [{}, failed, {}, failed, refused, { status: 'UPLOAD_PROCESSING' }];
    for (const each of given) {
      const upload = anUpload(accountId, each);
      await createUploads(database, testVault).project(upload);
      items.push({ key: upload.id, url: null, uploadId: upload.id, reference: null });
    }
    const id = await aBatch([...items, ...byAddress(1)]);
    await change(id, 0, { sample: true, state: 'FINISHED', credits: 4 });
    await change(id, 1, { sample: true, state: 'FAILED' });
    await change(id, 2, { sample: true, state: 'FAILED' });
    // The upload of an address belongs to the sample that made it, and says nothing about other addresses.
    await change(id, 6, { sample: true, state: 'FAILED', uploadId: items[1]!.uploadId });
    expect(await createBatchItems(database, testVault).sampleFacts(id)).toMatchObject({
      credits: [4],
      failed: 3,
      unreadable: 1,
      knownUnreadable: 2,
    });
  });

  test('choose samples from each stretch, at distances that an order of the inputs cannot repeat', async () => {
    const id = await aBatch(byAddress(80), { status: 'COLLECTING' });
    const store = createBatchItems(database, testVault);
    await store.chooseSamples(id, 20);
    const items = await store.list(id, { limit: 100 });
    const positions = items.flatMap(({ item: { sample, position } }) => (sample ? [position] : []));
    expect(positions.map((position) => Math.floor(position / 4))).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(new Set(positions.map((position) => position % 4)).size).toBeGreaterThan(1);
  });

  test('make failed items pending by the keys that their account sees, also those of URLs with a secret', async () => {
    const urls = [
      'https://a.example/one.jpg',
      'https://a.example/two.jpg?signature=secret',
      'https://a.example/three.jpg',
    ];
    const items = urls.map((url): NewBatchItem => ({ key: url, url, uploadId: null, reference: null }));
    const own: NewBatchItem = { key: 'shoes/four.jpg', url: urls[0]!, uploadId: null, reference: null };
    const id = await aBatch([...items, own], { status: 'FINISHED', failed: 4 });
    for (const position of [0, 1, 2, 3]) await change(id, position, { state: 'FAILED', errorCode: 'URL_FETCH_FAILED' });
    const store = createBatchItems(database, testVault);
    const shown = (await store.list(id, { limit: 4 })).map(({ item }) => item.key);
    expect(shown[1]).not.toContain('secret');
    expect(await store.retryFailed(id, [shown[0]!, shown[1]!, own.key, 'unknown'])).toBe(3);
    expect((await store.list(id, { limit: 4 })).map(({ item }) => item.state)).toEqual([
      ...['PENDING', 'PENDING'],
      ...['FAILED', 'PENDING'],
    ]);
    expect(await store.retryFailed(id, [shown[0]!])).toBe(0);
  });

  test('are listed with the pace of each by one further statement', async () => {
    const running = { status: 'RUNNING', closedAt: AT } as const;
    const ended = [2, 4].map((seconds) => async () => {
      const id = await aBatch(byAddress(5), running);
      for (const [position, part] of [0, 1].entries()) {
        const endedAt = new Date(Date.parse(AT) + part * seconds * SECOND_MS).toISOString();
        await change(id, position, { state: 'FINISHED', endedAt });
      }
      await database.orm.update(batches).set({ finished: 2 }).where(eq(batches.id, id));
      return id;
    });
    const [two, four] = [await ended[0]!(), await ended[1]!()];
    const idle = await aBatch(byAddress(1), { status: 'FINISHED' });
    const started = await aBatch(byAddress(1), running);

    const { session } = database.orm._ as unknown as { session: { prepareQuery: () => unknown } };
    const prepared = jest.spyOn(session, 'prepareQuery');
    const { items } = await createBatches(database, testVault).list(accountId, { limit: 100 });
    expect(prepared).toHaveBeenCalledTimes(2);
    prepared.mockRestore();
    const paces = new Map(items.map(({ id, pace }) => [id, pace]));
    expect([two, four, started, idle].map((id) => paces.get(id))).toEqual([
      { items: 1, seconds: 2 },
      { items: 1, seconds: 4 },
      { items: 0, seconds: 0 },
      undefined,
    ]);
  });
});
