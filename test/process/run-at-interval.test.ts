import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { runAtInterval } from '../../src/process/run-at-interval.ts';

it('never runs work twice at once, and stops after the current run', async () => {
  let [running, most, runs] = [0, 0, 0];
  const stop = runAtInterval(5, async () => {
    runs += 1;
    most = Math.max(most, (running += 1));
    await delay(30);
    running -= 1;
  });
  expect(runs).toBe(1);
  while (runs < 3) await delay(5);
  await stop();
  expect([running, most]).toEqual([0, 1]);
  const done = runs;
  await delay(30);
  expect(runs).toBe(done);
});

it('begins after one interval where the caller asks for it', async () => {
  let runs = 0;
  const stop = runAtInterval(
    5,
    () => {
      runs += 1;
      return Promise.resolve();
    },
    false,
  );
  expect(runs).toBe(0);
  while (runs === 0) await delay(5);
  await stop();
});
