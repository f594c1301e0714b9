import { expect, test } from '@jest/globals';
import { createWakePace } from '../../src/test-accounts/advance-clock.ts';

const start = 5_000;

test('an account wakes some at once, then so many a second, and again some at once after a rest', () => {
  const pace = createWakePace({ atOnce: 100, aSecond: 5 });
  for (let turn = 0; turn < 10; turn += 1) expect(pace.delayOf('acc_a', 10, start)).toBe(0);
  expect(pace.delayOf('acc_a', 10, start)).toBe(2_000);
  expect(pace.delayOf('acc_a', 10, start + 2_000)).toBe(2_000);
  // All of it is forgotten once 120 workflows at five a second would have been woken.
  expect(pace.delayOf('acc_a', 100, start + 24_000)).toBe(0);
});

test('an account that wakes many delays no other one', () => {
  const pace = createWakePace({ atOnce: 100, aSecond: 5 });
  expect(pace.delayOf('acc_a', 1_000, start)).toBe(180_000);
  expect(pace.delayOf('acc_b', 100, start)).toBe(0);
});
