import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { syncToDisk } from '../../src/storage/filesystem/durable-files.ts';

test('a slow disk holds at most half of the threads that serve files', async () => {
  let [running, most, done] = [0, 0, 0];
  const sync = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await pause(5);
    running -= 1;
    done += 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => syncToDisk({ sync })));
  expect([most, done]).toEqual([2, 20]);
});

test('a sync that fails leaves its turn to the next', async () => {
  const broken = Array.from({ length: 4 }, () => syncToDisk({ sync: () => Promise.reject(new Error('EIO')) }));
  expect((await Promise.allSettled(broken)).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
  await syncToDisk({ sync: () => Promise.resolve() });
});
