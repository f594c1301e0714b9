import { expect, test } from '@jest/globals';
import { createSharedPlaces } from '../../src/activities/shared-places.ts';
import { createGate } from '../support/gate.ts';

test('turns are apart by the age of the work that holds the places', async () => {
  let now = 1_000_000;
  const gate = createGate();
  const places = createSharedPlaces<string>({
    sharesOf: (key) => [{ key, limit: 2 }],
    heldMs: (meanAgeMs) => 2 * meanAgeMs,
    waitMs: { shortest: 10, longest: 25_000 },
    now: () => now,
  });
  const first = places.hold('a', () => gate.opened);
  now += 4_000;
  const second = places.hold('a', () => gate.opened);
  now += 6_000;
  const turns = [];
  for (let n = 0; n < 4; n += 1) turns.push(await places.hold('a', () => Promise.resolve('ran')));
  // On average they have run for 8 s, so one of two ends every 8 s.
  expect(turns).toEqual([8_000, 16_000, 24_000, 25_000].map((deferredMs) => ({ deferredMs })));
  expect(await places.hold('b', () => Promise.resolve('ran'))).toBe('ran');
  gate.open();
  await Promise.all([first, second]);
  expect(await places.hold('a', () => Promise.resolve('ran'))).toBe('ran');
});
