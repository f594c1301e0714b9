import type { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { Counter, Histogram, type Registry } from 'prom-client';
import { FAILURES } from '../../domain/failures.ts';

/** Seconds; from a row of the database to a large PDF. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1200];
/** Failures that are no answer to a caller, and have codes all the same; see failure.ts. */
const OTHER_CODES = ['WORKER_SHUTDOWN', 'ANSWER_LOST'];

export type ActivityMetrics = ReturnType<typeof createActivityMetrics>;

/** How long activities wait for a worker and how long they take, by their type. */
export function createActivityMetrics(registry: Registry) {
  const registers = [registry];
  return {
    scheduleToStart: new Histogram({
      name: 'burnish_activity_schedule_to_start_seconds',
      help: 'Wait of an attempt of an activity for a worker: the time in its queue',
      labelNames: ['activity', 'task_queue'] as const,
      buckets: BUCKETS,
      registers,
    }),
    duration: new Histogram({
      name: 'burnish_activity_duration_seconds',
      help: 'Time of an attempt of an activity in its worker, by outcome: completed, failed, cancelled',
      labelNames: ['activity', 'outcome'] as const,
      buckets: BUCKETS,
      registers,
    }),
    failures: new Counter({
      name: 'burnish_activity_failures_total',
      help: 'Attempts of activities that failed, by code',
      labelNames: ['activity', 'code'] as const,
      registers,
    }),
  };
}

/** Measures an attempt. It stands around `failureInterceptor`, whose failures carry codes. */
export function metricsInterceptor(
  { info }: Pick<Context, 'info'>,
  { scheduleToStart, duration, failures }: ActivityMetrics,
  now: () => number = Date.now,
): ActivityInboundCallsInterceptor {
  const { activityType: activity, taskQueue, currentAttemptScheduledTimestampMs } = info;
  return {
    async execute(input, next) {
      const startedAt = now();
      // The two clocks are of two machines.
      const waitedMs = Math.max(0, startedAt - currentAttemptScheduledTimestampMs);
      scheduleToStart.observe({ activity, task_queue: taskQueue }, waitedMs / 1000);
      const settle = (outcome: string): void => duration.observe({ activity, outcome }, (now() - startedAt) / 1000);
      try {
        const result = await next(input);
        settle('completed');
        return result;
      } catch (error) {
        const cancelled = error instanceof CancelledFailure;
        settle(cancelled ? 'cancelled' : 'failed');
        if (!cancelled) failures.inc({ activity, code: codeOf(error) });
        throw error;
      }
    },
  };
}

/** One of a fixed list. */
function codeOf(error: unknown): string {
  const type = error instanceof ApplicationFailure ? (error.type ?? '') : '';
  return Object.hasOwn(FAILURES, type) || OTHER_CODES.includes(type) ? type : 'other';
}
