import { expect, test } from '@jest/globals';
import { createStallMeter } from './stall.ts';

/** Counts at seconds. @returns the longest stall */
function stallOf(looks: readonly (readonly [second: number, ended: number, open: number])[]): number {
  let now = 0;
  const meter = createStallMeter(() => now);
  for (const [second, ended, open] of looks) {
    now = second * 1000;
    meter.look({ ended, open });
  }
  return meter.seconds;
}

test('a stall begins with open work or an end, and lasts until the next end', () => {
  expect(
    stallOf([
      [0, 0, 2],
      [4, 1, 1],
      [11, 2, 0],
      [60, 2, 0],
    ]),
  ).toBe(7);
});

test('time without open work is no stall', () => {
  expect(
    stallOf([
      [0, 0, 0],
      [50, 0, 1],
      [53, 1, 0],
      [99, 1, 0],
    ]),
  ).toBe(3);
});

test('a stall that has not ended counts, and so does one across a time without a look', () => {
  expect(
    stallOf([
      [0, 5, 1],
      [2, 5, 1],
      [30, 5, 1],
    ]),
  ).toBe(30);
});
