import { expect, test } from '@jest/globals';
import { createSharedPermits } from '../../src/activities/shared-permits.ts';
import { createGate } from '../support/gate.ts';

test('turns are apart by the age of the work that holds the permits', async () => {
  let now = 1_000_000;
  const gate = createGate();
  const permits = createSharedPermits<string>({
    sharesOf: (key) => [{ key, limit: 2 }],
    heldMs: (meanAgeMs) => 2 * meanAgeMs,
    waitMs: { shortest: 10, longest: 25_000 },
    now: () => now,
  });
  const first = permits.hold('a', () => gate.opened);
  now += 4_000;
  const second = permits.hold('a', () => gate.opened);
  now += 6_000;
  const turns = [];
  for (let n = 0; n < 4; n += 1) turns.push(await permits.hold('a', () => Promise.resolve('ran')));
  // On average they have run for 8 s, so one of two ends every 8 s.
  expect(turns).toEqual([8_000, 16_000, 24_000, 25_000].map((deferredMs) => ({ deferredMs })));
  expect(await permits.hold('b', () => Promise.resolve('ran'))).toBe('ran');
  gate.open();
  await Promise.all([first, second]);
  expect(await permits.hold('a', () => Promise.resolve('ran'))).toBe('ran');
});
