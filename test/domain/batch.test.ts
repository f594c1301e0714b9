import { expect, test } from '@jest/globals';
import { SEED_PLANS, countPending, hasEnded, type Batch, type BatchStatus } from '@burnish/contract';
import { activeStatus, batchWindow, hasManyFailures } from '../../src/domain/batch/batch-rules.ts';
import { counts } from './batch-counts.ts';

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

test('the plan of an account decides how many items of a batch run at the same time', () => {
  const windows = Object.values(SEED_PLANS).map(({ fairnessWeight }) => batchWindow(fairnessWeight));
  expect([...windows, batchWindow(1_000)]).toEqual([12, 24, 48, 50]);
});
