import '../../setup/quiet-temporal.ts';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { Registry } from 'prom-client';
import { expect, test } from '@jest/globals';
import { Failure } from '@burnish/contract';
import { failureInterceptor } from '../../../src/activities/failure.ts';
import { createActivityMetrics, metricsInterceptor } from '../../../src/activities/metrics.ts';

const SCHEDULED_AT = 1_800_000_000_000;

/** Runs activities like a worker, with a clock that the test sets. */
function worker() {
  const registry = new Registry();
  const metrics = createActivityMetrics(registry);
  const clock = { now: SCHEDULED_AT, monotonic: 0 };
  return {
    clock,
    lines: async () => (await registry.metrics()).split('\n').filter((line) => !/^#|_bucket/.test(line)),
    run(activity: () => Promise<unknown>): Promise<unknown> {
      const info = {
        activityType: 'enhance',
        taskQueue: 'burnish-engine',
        scheduledTimestampMs: SCHEDULED_AT - 60_000,
        currentAttemptScheduledTimestampMs: SCHEDULED_AT,
      };
      const environment = new MockActivityEnvironment(info, {
        interceptors: [
          (context) => ({
            inbound: metricsInterceptor(context, metrics, {
              wallMs: () => clock.now,
              monotonicMs: () => clock.monotonic,
            }),
          }),
          (context) => ({ inbound: failureInterceptor(context, { error: () => undefined }) }),
        ],
      });
      return environment.run(activity);
    },
  };
}

test('activity metrics measure the wait from scheduling to start, and the run from start to end', async () => {
  const { clock, lines, run } = worker();
  clock.now += 1_500;
  await run(async () => {
    clock.monotonic += 2_250;
    // As when a time server sets the clock of the machine.
    clock.now -= 600_000;
  });
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'burnish_activity_schedule_to_start_seconds_sum{activity="enhance",task_queue="burnish-engine"} 1.5',
      'burnish_activity_schedule_to_start_seconds_count{activity="enhance",task_queue="burnish-engine"} 1',
      'burnish_activity_duration_seconds_sum{activity="enhance",outcome="completed"} 2.25',
    ]),
  );
});

test('a clock behind the clock of the server produces no negative wait', async () => {
  const { clock, lines, run } = worker();
  clock.now -= 400;
  await run(() => Promise.resolve());
  expect(await lines()).toContain(
    'burnish_activity_schedule_to_start_seconds_sum{activity="enhance",task_queue="burnish-engine"} 0',
  );
});

test.each([
  ['a failure of the list by its code', new Failure('CORRUPT_FILE'), 'CORRUPT_FILE'],
  ['an unexpected error as INTERNAL', new TypeError('x is not a function'), 'INTERNAL'],
  ['a lost answer as such', ApplicationFailure.create({ type: 'ANSWER_LOST' }), 'ANSWER_LOST'],
  ['a type that nobody listed as other', ApplicationFailure.create({ type: 'upl_1' }), 'other'],
])('counts %s', async (_, error, code) => {
  const { lines, run } = worker();
  await expect(run(() => Promise.reject(error))).rejects.toThrow(ApplicationFailure);
  expect(await lines()).toEqual(
    expect.arrayContaining([
      `burnish_activity_failures_total{activity="enhance",code="${code}"} 1`,
      'burnish_activity_duration_seconds_count{activity="enhance",outcome="failed"} 1',
    ]),
  );
});

test('a cancellation does not count as a failure', async () => {
  const { lines, run } = worker();
  await expect(run(() => Promise.reject(new CancelledFailure('Cancelled.')))).rejects.toThrow(CancelledFailure);
  const found = await lines();
  expect(found).toContain('burnish_activity_duration_seconds_count{activity="enhance",outcome="cancelled"} 1');
  expect(found.filter((line) => line.startsWith('burnish_activity_failures_total'))).toEqual([]);
});
