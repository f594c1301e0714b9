import { expect, test } from '@jest/globals';
import {
  activeStatus,
  countPending,
  hasEnded,
  hasManyFailures,
  predict,
  WARM_UP_SAMPLES,
  type Batch,
  type BatchCounts,
  type BatchStatus,
  type SampleFacts,
} from '../../src/domain/batch/batch.ts';

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
  const all = wave(0, ...Array.from({ length: WARM_UP_SAMPLES }, () => WARM_UP_SAMPLES));
  expect(predict({ credits: [1], failed: 0, times: all }, counts(3))).toMatchObject({ seconds: 2 });
  const nothing = { credits: 0, seconds: 0, failures: 0 };
  expect(predict({ credits: [], failed: 0, times: [] }, counts(4))).toEqual(nothing);
});

test('ten failures above a fifth of the ended files are trouble', () => {
  const ended = [
    { failed: 10, finished: 39 },
    { failed: 10, finished: 40 },
    { failed: 9, finished: 0 },
  ];
  expect(ended.map((each) => hasManyFailures({ ...counts(100), ...each }))).toEqual([true, false, false]);
});

test('a file is pending if it neither runs nor has ended', () => {
  expect(countPending({ ...counts(20), running: 2, finished: 3, failed: 4, cancelled: 5 })).toBe(6);
});

test('a batch collects until its end of files, samples until its approval, then runs until it has ended', () => {
  const status = (samples: number, closedAt: string | null, approvedAt: string | null): BatchStatus =>
    activeStatus({ samples, closedAt, approvedAt } as Batch);
  expect([status(3, null, null), status(3, 'then', null), status(3, null, 'then'), status(0, null, null)]).toEqual([
    'COLLECTING',
    'SAMPLING',
    'RUNNING',
    'RUNNING',
  ]);
  const ended: BatchStatus[] = ['FINISHED', 'CANCELLED'];
  const open: BatchStatus[] = ['COLLECTING', 'RUNNING', 'PAUSED', 'CANCELLING'];
  expect([...ended, ...open].filter((each) => hasEnded({ status: each }))).toEqual(ended);
});
