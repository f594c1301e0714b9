import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { borrowLocalFile, shareLocalFiles } from '../../../src/activities/provider/local-files.ts';
import { Failure } from '../../../src/domain/failures.ts';

/** Storage that is far away: it counts what is fetched, and what is held. */
function farAway() {
  const counts = { fetched: 0, held: 0 };
  return {
    counts,
    async withLocalFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T> {
      if (key === 'missing') throw new Failure('NOT_FOUND');
      counts.fetched += 1;
      counts.held += 1;
      await delay(1);
      try {
        return await use(`/copy-${counts.fetched}`);
      } finally {
        counts.held -= 1;
      }
    },
  };
}

it('a borrowed file is held until it is released', async () => {
  const store = farAway();
  const file = await borrowLocalFile(store, 'a');
  expect([file.path, store.counts.held]).toEqual(['/copy-1', 1]);
  await file.release();
  expect(store.counts.held).toBe(0);
  await expect(borrowLocalFile(store, 'missing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('pieces of work on one file share one copy, which stays a while and is then let go', async () => {
  const store = farAway();
  const files = shareLocalFiles(store, 20);
  const path = (): Promise<string> => files.withFile('a', (each) => Promise.resolve(each));
  expect(await Promise.all([path(), path()])).toEqual(['/copy-1', '/copy-1']);
  expect(await path()).toBe('/copy-1');
  expect(await files.withFile('b', (each) => Promise.resolve(each))).toBe('/copy-2');
  while (store.counts.held > 0) await delay(5);
  expect(await path()).toBe('/copy-3');
});

it('after work that failed the next one gets a new copy, and the old one is let go once nobody uses it', async () => {
  const store = farAway();
  const files = shareLocalFiles(store, 60_000);
  let finish = (): void => undefined;
  const other = files.withFile('a', () => new Promise<void>((resolve) => (finish = resolve)));
  await expect(files.withFile('a', () => Promise.reject(new Error('unreadable')))).rejects.toThrow('unreadable');
  expect(store.counts.held).toBe(1);
  finish();
  await other;
  while (store.counts.held > 0) await delay(1);
  expect(await files.withFile('a', (path) => Promise.resolve(path))).toBe('/copy-2');
});

it('a file that cannot be had is asked for again', async () => {
  const store = farAway();
  const files = shareLocalFiles(store, 60_000);
  await expect(files.withFile('missing', () => Promise.resolve())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(files.withFile('missing', () => Promise.resolve())).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
