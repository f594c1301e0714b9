import { expect, test } from '@jest/globals';
import { Failure } from '@burnish/contract';
import { listFiles } from '../../../src/api/batches/list-files.ts';
import type { AccountBucket } from '../../../src/storage/s3/account-bucket.ts';

/** Lists a bucket whose pages are scripted, up to a failure. @returns the keys before it, its code, and the number of pages */
async function list(pages: AccountBucket['list'], limits: { objects: number; ms: number }) {
  let [read, isClosed] = [0, false];
  const bucket = {
    list: (...call: Parameters<AccountBucket['list']>) => ((read += 1), pages(...call)),
    close: () => (isClosed = true),
  };
  const registered = {
    buckets: { open: async () => ({ bucket: {} as never, credentials: {} as never }) },
    openBucket: async () => bucket as unknown as AccountBucket,
  };
  const keys: string[] = [];
  try {
    for await (const some of listFiles(registered, 'acc', { bucket: 'photos', prefix: '' }, limits)) keys.push(...some);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { keys, code: error.code, field: error.field, detail: error.message, read, isClosed };
  }
  return { keys, read, isClosed };
}

/** Pages of ten keys, without an end. */
const endless: AccountBucket['list'] = async (_prefix, after) => {
  const first = after === null ? 0 : Number(after) + 1;
  const objects = Array.from({ length: 10 }, (_, k) => ({ key: String(first + k).padStart(9, '0'), size: 9 }));
  return { objects, isLast: false };
};
const hour = 3_600_000;

test('a listing ends after its number of objects, also if none of them is a file', async () => {
  const files = await list(endless, { objects: 50, ms: hour });
  expect(files).toMatchObject({ code: 'BAD_USER_INPUT', field: 'prefix', read: 5, isClosed: true });
  expect(files.detail).toBe('The bucket has more than 50 objects with this prefix. Choose a longer one.');
  const empty: typeof endless = async (...call) => {
    const { objects } = await endless(...call);
    return { objects: objects.map(({ key }) => ({ key, size: 0 })), isLast: false };
  };
  expect(await list(empty, { objects: 50, ms: hour })).toMatchObject({ code: 'BAD_USER_INPUT', keys: [], read: 5 });
});

test('a listing that gets no answer ends by its time, and a repetition helps', async () => {
  const silent: AccountBucket['list'] = (_prefix, _after, signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  const { code, detail, isClosed } = await list(silent, { objects: 50, ms: 20 });
  expect([code, isClosed]).toEqual(['UNAVAILABLE', true]);
  expect(detail).toBe('The bucket photos answers too slowly. Send the same request again, or choose a longer prefix.');
});

test.each([
  ['without a next page', async (): ReturnType<AccountBucket['list']> => ({ objects: [], isLast: false })],
  [
    'that begins anew with each page',
    (): ReturnType<AccountBucket['list']> => endless('', null, new AbortController().signal),
  ],
])('a list %s is incomplete, and a repetition helps', async (_what, pages) => {
  const { code, detail, read } = await list(pages, { objects: 1_000, ms: hour });
  expect([code, detail]).toEqual([
    'UNAVAILABLE',
    'The bucket photos sent an incomplete list. Send the same request again.',
  ]);
  expect(read).toBeLessThanOrEqual(2);
});
