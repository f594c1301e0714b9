import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  createItemScheduler,
  scheduled,
  ITEMS_A_SLICE,
  MAX_ITEMS,
} from '../../../src/api/graphql/limits/item-scheduler.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { graphql, refusal } from './support.ts';

const settled = async (): Promise<void> => {
  for (let i = 0; i < 1000; i += 1) await Promise.resolve();
};

describe('fairness of large GraphQL answers', () => {
  test('the items that all lists of a request resolve in one turn of the event loop are limited', async () => {
    const others: (() => void)[] = [];
    const turns = createItemScheduler((begin) => void others.push(begin));
    let done = 0;
    const read = async (): Promise<void> => {
      for await (const _ of scheduled(Array.from({ length: 60 }), turns)) done += 1;
    };
    const all = Promise.all([read(), read(), read()]);
    const counts: number[] = [];
    for (;;) {
      await settled();
      counts.push(done);
      const begin = others.shift();
      expect(others).toHaveLength(0);
      if (begin === undefined) break;
      begin();
    }
    await all;
    expect(counts).toEqual([ITEMS_A_SLICE, 2 * ITEMS_A_SLICE, 3 * ITEMS_A_SLICE, 180]);
  });

  test('an answer with too many items is refused', async () => {
    const turns = createItemScheduler((begin) => begin());
    for (let i = 0; i < MAX_ITEMS; i += 1) await turns.next();
    expect(() => turns.next()).toThrow('Request smaller pages.');
  });
});

describe('a page of 100 uploads with 4 enhancements each', () => {
  let gateway: TestGateway;
  const listForUploads = jest.fn<TestGateway['records']['enhancements']['listForUploads']>();

  beforeAll(async () => {
    gateway = await testGateway();
    const real = gateway.records.enhancements.listForUploads.bind(gateway.records.enhancements);
    for (let i = 0; i < 100; i += 1) {
      const upload = await storedUpload(gateway);
      for (let j = 0; j < 4; j += 1) await storedEnhancement(gateway, upload);
    }
    listForUploads.mockImplementation(real);
    gateway.records.enhancements.listForUploads = listForUploads;
  });
  afterAll(async () => await gateway[Symbol.asyncDispose]());

  test('needs a handful of database queries over several turns of the event loop', async () => {
    const immediates = jest.spyOn(globalThis, 'setImmediate');
    const { data, errors } = await graphql(gateway, '{ uploads(first: 100) { nodes { id enhancedImages { id } } } }');
    expect(errors).toBeUndefined();
    const items = data.uploads.nodes.flatMap(({ enhancedImages }: { enhancedImages: unknown[] }) => enhancedImages);
    expect([data.uploads.nodes.length, items.length]).toEqual([100, 400]);
    // A turn that ends among the uploads splits their batch: how often depends on how soon the database answers.
    expect(listForUploads.mock.calls.length).toBeLessThanOrEqual((2 * 500) / ITEMS_A_SLICE);
    expect(immediates.mock.calls.length).toBeGreaterThanOrEqual(Math.floor(500 / ITEMS_A_SLICE) - 1);
    immediates.mockRestore();
  });
});

describe('the time limit of a document', () => {
  test('aborts a slow query', async () => {
    await using gateway = await testGateway({ limits: { graphqlMs: 200 } });
    gateway.records.ledger.balance = () => new Promise(() => undefined);
    const answer = await graphql(gateway, '{ credits { periodEnd } }');
    expect(refusal(answer)).toEqual(['UNAVAILABLE', undefined]);
    expect(answer.errors![0]!.extensions.retryAfter).toBe(5);
    expect(answer.errors![0]!.message).toContain('0.2 s');
  });

  test('prevents further mutations and lets the running one finish', async () => {
    await using gateway = await testGateway({ limits: { graphqlMs: 300 } });
    const { carryOut } = gateway.records.accountChanges;
    gateway.records.accountChanges.carryOut = async (...given) => {
      await pause(400);
      return await carryOut(...given);
    };
    const { data, errors } = await graphql(
      gateway,
      'mutation { a: createApiKey(name: "a") { key } b: createApiKey(name: "b") { key } }',
    );
    expect(data).toMatchObject({ a: { key: expect.any(String) }, b: null });
    expect(errors).toMatchObject([{ path: ['b'], extensions: { code: 'UNAVAILABLE' } }]);
    expect(
      (await gateway.records.apiKeys.list(gateway.account.id, { includeInternal: true })).map(({ name }) => name),
    ).not.toContain('b');
  });
});
