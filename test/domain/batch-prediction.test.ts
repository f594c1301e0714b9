import { expect, test } from '@jest/globals';
import type { CountedBatch } from '@burnish/contract';
import {
  predict,
  remainingSeconds,
  WARM_UP_SAMPLES,
  type SampleFacts,
  type SampleTimes,
} from '../../src/domain/batch/prediction.ts';
import { counts } from './batch-counts.ts';

const none: SampleFacts = { credits: [], failed: 0, unreadable: 0, knownUnreadable: 0, times: [] };

/** Samples that start together and end at these seconds. @param engineSeconds null: unknown */
const wave = (startedAt: number, endedAt: readonly number[], engineSeconds: number | null = null): SampleTimes[] =>
  endedAt.map((seconds) => ({
    startedAtMs: 1000 * startedAt,
    endedAtMs: 1000 * seconds,
    engineMs: engineSeconds === null ? null : 1000 * engineSeconds,
  }));

/** The ends of samples that take each `seconds` of one of some engines, after `latency` seconds. */
const served = (samples: number, engines: number, seconds: number, latency: number): number[] =>
  Array.from({ length: samples }, (_, n) => latency + seconds * (1 + Math.floor(n / engines)));

const timeOf = (times: SampleFacts['times'], items: number): number =>
  predict({ ...none, credits: times.map(() => 1), times }, counts(items)).seconds;

test('a batch is predicted from the price, the failures and the rate of its samples', () => {
  const warmUp = wave(
    0,
    Array.from({ length: WARM_UP_SAMPLES }, () => 50),
  );
  // Five more samples within 10 s: 2 s each
  const times = [...wave(51, [60.5, 60.5, 61, 61, 61]), ...warmUp];
  const credits = [1, 1, 1, 1, 2, 2, 2, 2];
  expect(predict({ ...none, credits, failed: 2, times }, counts(100))).toEqual({
    credits: 120,
    seconds: 180,
    failures: 20,
  });
});

/** 19 samples of 4 credits each, and a failed one. */
const oneFailed = { ...none, credits: Array<number>(19).fill(4), failed: 1 };

test('a failed upload among the samples stands for itself, because the other failed uploads are known', () => {
  const alone = { ...oneFailed, unreadable: 1 };
  expect(predict(alone, counts(1_000))).toMatchObject({ credits: 999 * 4, failures: 1 });
  expect(predict({ ...alone, knownUnreadable: 99 }, counts(1_000))).toMatchObject({ credits: 900 * 4, failures: 100 });
  const hidden = { ...oneFailed, credits: Array<number>(20).fill(4), failed: 0, knownUnreadable: 100 };
  expect(predict(hidden, counts(1_000))).toMatchObject({ credits: 900 * 4, failures: 100 });
  const readable = { ...none, failed: 20, unreadable: 20, knownUnreadable: 80 };
  expect(predict(readable, counts(100))).toMatchObject({ credits: 0, failures: 100 });
});

test('a sample that fails later stands for its share of the files that can be read', () => {
  expect(predict(oneFailed, counts(1_000))).toMatchObject({ credits: 950 * 4, failures: 50 });
  const both = { ...oneFailed, failed: 2, credits: Array<number>(18).fill(4), unreadable: 1, knownUnreadable: 49 };
  expect(predict(both, counts(1_000))).toMatchObject({ credits: 900 * 4, failures: 50 + 50 });
});

test.each([
  [1, 6],
  [2, 6],
  [4, 6],
  [5, 6],
  [7, 6],
])(
  'the time of a batch on %i engines holds neither the wait for the first sample nor idle engines',
  (engines, seconds) => {
    const warmUp = wave(0, [9, 9, 9, 9, 9], 4);
    const times = [...warmUp, ...wave(10, served(15, engines, seconds, 13), seconds)];
    const left = 1_000;
    expect(timeOf(times, left + times.length)).toBe(Math.ceil((left * seconds) / engines));
  },
);

test('the time of small files holds their uploads, though most of them end before the first sample', () => {
  // 20 uploads of 1 s come first, one after the other. Then an engine ends one file each second, in a tenth of it.
  const ends = Array.from({ length: 20 }, (_, n) => 20 + 1 + n);
  const warmUp = wave(0, [1, 1, 1, 1, 1], 0.1).map((each) => ({ ...each, startedAtMs: -1 }));
  expect(timeOf([...warmUp, ...wave(0, ends, 0.1)], 1_025)).toBe(2_000);
});

test('a wait in which no sample is in work predicts nothing', () => {
  const warmUp = wave(-1, [1, 1, 1, 1, 1]);
  expect(timeOf([...warmUp, ...wave(0, [2, 4, 6]), ...wave(100, [101, 103])], 110)).toBe(180);
});

test('more engines than half of the samples give an upper bound', () => {
  const times = wave(0, served(15, 16, 6, 1), 6);
  expect(timeOf(times, 1_015)).toBeGreaterThanOrEqual(Math.ceil((1_000 * 6) / 16));
});

test('a few samples predict the time by all of them, and none predict nothing', () => {
  expect(predict({ ...none, credits: [1, 1], times: wave(10, [12, 14]) }, counts(4))).toMatchObject({ seconds: 4 });
  expect(predict({ ...none, credits: [1], times: wave(10, [10.2]) }, counts(2))).toMatchObject({ seconds: 1 });
  const all = wave(
    0,
    Array.from({ length: WARM_UP_SAMPLES }, () => WARM_UP_SAMPLES),
  );
  expect(predict({ ...none, credits: [1], times: all }, counts(3))).toMatchObject({ seconds: 2 });
  const nothing = { credits: 0, seconds: 0, failures: 0 };
  expect(predict(none, counts(4))).toEqual(nothing);
});

const running = (more: Partial<CountedBatch>): CountedBatch =>
  ({
    ...counts(1_020),
    finished: 20,
    samples: 20,
    status: 'RUNNING',
    closedAt: '2026-11-25T00:00:00.000Z',
    prediction: { credits: 1, seconds: 1_000, failures: 0 },
    ...more,
  }) as CountedBatch;

test('the rest of a running batch follows its prediction first, and the pace of its items later', () => {
  expect(remainingSeconds(running({}))).toBe(1_000);
  // Twice as slow as predicted
  expect(remainingSeconds(running({ finished: 35, pace: { items: 15, seconds: 30 } }))).toBe(Math.ceil(1.5 * 985));
  expect(remainingSeconds(running({ finished: 520, pace: { items: 199, seconds: 398 } }))).toBe(965);
  expect(remainingSeconds(running({ finished: 1_019, failed: 1 }))).toBe(0);
});

test('a batch without samples has a rest once items have ended, and others have none', () => {
  const alone = { samples: 0, prediction: null, finished: 20 };
  expect(remainingSeconds(running({ ...alone, pace: { items: 0, seconds: 0 } }))).toBeNull();
  expect(remainingSeconds(running({ ...alone, pace: { items: 10, seconds: 5 } }))).toBe(500);
  expect(remainingSeconds(running({ status: 'PAUSED' }))).toBeNull();
  expect(remainingSeconds(running({ closedAt: null }))).toBeNull();
  expect(remainingSeconds(running({ items: 10, finished: 4, samples: 20, prediction: null }))).toBeNull();
});
