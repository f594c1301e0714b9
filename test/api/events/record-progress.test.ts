import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import type { Enhancement } from '@burnish/contract';
import { createProgressWatch, type ReadProgress } from '../../../src/api/changes/progress-watch.ts';
import { poll } from '../../support/poll.ts';
import { graphql } from '../graphql/support.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';

let gateway: TestGateway;
let reads: string[] = [];
let answer: ReadProgress;
const INTERVAL_MS = 300;

beforeAll(async () => {
  gateway = await testGateway({
    readProgress(enhancement) {
      reads.push(enhancement.id);
      return answer(enhancement);
    },
    limits: { progressIntervalMs: INTERVAL_MS },
  });
});
afterAll(async () => await gateway[Symbol.asyncDispose]());
beforeEach(() => {
  reads = [];
});

async function stored(status: Enhancement['status']): Promise<Enhancement> {
  return await storedEnhancement(gateway, await storedUpload(gateway), { status });
}

async function shown({ id }: Enhancement): Promise<unknown> {
  const response = await gateway.fetch(`/v1/enhancements/${id}`);
  expect(response.status).toBe(200);
  return (await response.json()).progress;
}

async function shownByGraphql({ id }: Enhancement): Promise<unknown> {
  const { data } = await graphql(gateway, `{ enhancedImage(id: "${id}") { progress { step fraction } } }`);
  return data.enhancedImage.progress;
}

test('the record of a running enhancement shows its progress, in REST and in GraphQL', async () => {
  let fraction = 0.25;
  answer = async () => ({ step: 'images', fraction });
  const enhancement = await stored('PROCESSING');
  expect(await shown(enhancement)).toEqual({ step: 'images', fraction: 0.25 });
  expect(await shownByGraphql(enhancement)).toEqual({ step: 'images', fraction: 0.25 });
  fraction = 0.5;
  await poll(() => shown(enhancement)).toEqual({ step: 'images', fraction: 0.5 });
  expect(await shownByGraphql(enhancement)).toEqual({ step: 'images', fraction: 0.5 });
});

test('callers that read a record at once share one read of its progress', async () => {
  let arrived = (): void => undefined;
  answer = () => new Promise((resolve) => (arrived = () => resolve({ step: 'upscale', fraction: 0.1 })));
  const read = jest.fn<ReadProgress>((enhancement) => answer(enhancement));
  const watch = createProgressWatch({ read, intervalMs: 60_000, log: pino({ enabled: false }) });
  const enhancement = { id: 'enh_1', uploadId: 'upl_1', status: 'PROCESSING' } as const;
  const callers = [1, 2, 3, 4].map(() => watch.read(enhancement));
  arrived();
  expect(await Promise.all(callers)).toEqual(callers.map(() => ({ step: 'upscale', fraction: 0.1 })));
  expect(await watch.read(enhancement)).toEqual({ step: 'upscale', fraction: 0.1 });
  expect(read).toHaveBeenCalledTimes(1);
});

test.each(['QUEUED', 'AWAITING_CREDITS', 'FINISHED', 'ERROR'] as const)(
  'the record of an enhancement that is %s has no progress, and nothing is read for it',
  async (status) => {
    answer = async () => ({ step: 'upscale', fraction: 1 });
    const enhancement = await stored(status);
    expect([await shown(enhancement), await shownByGraphql(enhancement), reads]).toEqual([null, null, []]);
  },
);

test('lists and uploads have no progress, and another account reads none', async () => {
  answer = async () => ({ step: 'upscale', fraction: 1 });
  const { id, uploadId } = await stored('PROCESSING');
  const { items } = await (await gateway.fetch('/v1/enhancements')).json();
  expect(items.find((each: { id: string }) => each.id === id)).toMatchObject({ status: 'PROCESSING', progress: null });
  const upload = await (await gateway.fetch(`/v1/uploads/${uploadId}`)).json();
  expect(upload.enhancements).toMatchObject([{ id, progress: null }]);
  expect((await gateway.fetch(`/v1/enhancements/${id}`, { key: gateway.foreignKey })).status).toBe(404);
  expect(reads).toEqual([]);
});

test.each<[string, ReadProgress]>([
  ['fails', () => Promise.reject(new Error('Temporal does not respond.'))],
  ['has no answer in a second', () => new Promise(() => undefined)],
  ['finds no running work', async () => undefined],
])('a record is answered without progress while its read %s', async (_, read) => {
  answer = read;
  const enhancement = await stored('PROCESSING');
  expect(await shown(enhancement)).toBeNull();
  // A read that is late for one caller is late for the next one, who does not wait for it again.
  const started = performance.now();
  expect(await shownByGraphql(enhancement)).toBeNull();
  expect(performance.now() - started).toBeLessThan(900);
  expect(reads.length).toBeLessThanOrEqual(2);
});
