import { expect, test } from '@jest/globals';
import { predict, WARM_UP_SAMPLES, type BatchCounts, type SampleFacts } from '../../src/domain/batch/batch.ts';

const counts = (items: number): BatchCounts => ({
  items,
  running: 0,
  finished: 0,
  failed: 0,
  cancelled: 0,
  chargedCredits: 0,
});
/** Samples that start together and end at these seconds. */
const wave = (startedAt: number, ...endedAt: number[]): SampleFacts['times'] =>
  endedAt.map((seconds) => ({ startedAtMs: 1000 * startedAt, endedAtMs: 1000 * seconds }));

test('a batch is predicted from the price, the failures and the rate of its samples', () => {
  const warmUp = wave(0, ...Array.from({ length: WARM_UP_SAMPLES }, () => 50));
  // Five more samples within 10 s, in bursts: 2 s each
  const times = [...wave(51, 60.5, 60.5, 61, 61, 61), ...warmUp];
  const credits = [1, 1, 1, 1, 2, 2, 2, 2];
  expect(predict({ credits, failed: 2, times }, counts(100))).toEqual({ credits: 120, seconds: 180, failures: 20 });
});

test('a few samples predict the time by all of them, and none predict nothing', () => {
  expect(predict({ credits: [1, 1], failed: 0, times: wave(10, 12, 14) }, counts(4))).toMatchObject({ seconds: 4 });
  expect(predict({ credits: [1], failed: 0, times: wave(10, 10.2) }, counts(2))).toMatchObject({ seconds: 1 });
  const nothing = { credits: 0, seconds: 0, failures: 0 };
  expect(predict({ credits: [], failed: 0, times: [] }, counts(4))).toEqual(nothing);
});
