import { expect, test } from '@jest/globals';
import { lowCreditLevel } from '@burnish/contract';

test.each([
  [21, 20, 20],
  [22, 21, null],
  [20, 19, null],
  [5, 0, 0],
  [50, 0, 0],
  [1, 1, null],
])('of 100 credits, a change from %i to %i reaches the level %j', (before, after, level) => {
  expect(lowCreditLevel(100, before, after)).toBe(level);
});
