import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { Failure } from '@burnish/contract';
import { borrowLocalFile } from '../../../src/activities/provider/local-pdf-spans.ts';

/** A remote store that counts fetched files and local copies in use. */
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

it('a borrowed local file exists until it is released', async () => {
  const store = farAway();
  const file = await borrowLocalFile(store, 'a');
  expect([file.path, store.counts.held]).toEqual(['/copy-1', 1]);
  await file.release();
  expect(store.counts.held).toBe(0);
  await expect(borrowLocalFile(store, 'missing')).rejects.toMatchObject({ code: 'INTERNAL' });
});
