import type { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { Counter, type Registry } from 'prom-client';
import { FAILURES } from '@burnish/contract';
import { PLAN_OUTDATED } from '../domain/temporal/workflow-interface.ts';
import type { RunOptions, Sandbox } from '../sandbox/sandbox.ts';
import type { TaskInput, TaskName, TaskOutput } from '@burnish/engine/host';
import type { Deliveries } from '../database/webhooks/deliveries.ts';
import { inSpan, inThisTrace, startSpan } from '../tracing/span.ts';
import { createTracedHistogram } from '../tracing/traced-histogram.ts';

/** Seconds, from a database row to a large PDF. */
const ACTIVITY_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1200];
/** Failure codes that callers never see; see failure.ts. */
const OTHER_CODES = ['WORKER_SHUTDOWN', 'ANSWER_LOST', PLAN_OUTDATED];

export type ActivityMetrics = ReturnType<typeof createActivityMetrics>;

export function createActivityMetrics(registry: Registry) {
  const registers = [registry];
  return {
    scheduleToStart: createTracedHistogram(registry, {
      name: 'burnish_activity_schedule_to_start_seconds',
      help: 'Time of an activity attempt in its task queue',
      labelNames: ['activity', 'task_queue'] as const,
      buckets: ACTIVITY_BUCKETS,
    }),
    duration: createTracedHistogram(registry, {
      name: 'burnish_activity_duration_seconds',
      help: 'Time of an attempt of an activity in its worker, by outcome: completed, failed, cancelled',
      labelNames: ['activity', 'outcome'] as const,
      buckets: ACTIVITY_BUCKETS,
    }),
    failures: new Counter({
      name: 'burnish_activity_failures_total',
      help: 'Attempts of activities that failed, by code',
      labelNames: ['activity', 'code'] as const,
      registers,
    }),
    unknownFields: new Counter({
      name: 'burnish_activity_unknown_fields_total',
      help: 'Fields of activity inputs that this worker ignored, because its version does not know them',
      labelNames: ['activity'] as const,
      registers,
    }),
  };
}

/** Measures an attempt. It wraps `failureInterceptor`, whose failures carry codes. */
export function metricsInterceptor(
  { info }: Pick<Context, 'info'>,
  { scheduleToStart, duration, failures }: ActivityMetrics,
  {
    wallMs = Date.now,
    monotonicMs = () => performance.now(),
  }: Partial<Record<'wallMs' | 'monotonicMs', () => number>> = {},
): ActivityInboundCallsInterceptor {
  const { activityType: activity, taskQueue, currentAttemptScheduledTimestampMs } = info;
  return {
    async execute(input, next) {
      const startedAt = monotonicMs();
      // The two times come from the clocks of two machines, so the difference may be negative.
      const waitedMs = Math.max(0, wallMs() - currentAttemptScheduledTimestampMs);
      scheduleToStart.observe({ activity, task_queue: taskQueue }, waitedMs / 1000);
      const settle = (outcome: string): void =>
        duration.observe({ activity, outcome }, (monotonicMs() - startedAt) / 1000);
      try {
        const result = await next(input);
        settle('completed');
        return result;
      } catch (error) {
        const cancelled = error instanceof CancelledFailure;
        settle(cancelled ? 'cancelled' : 'failed');
        if (!cancelled) failures.inc({ activity, code: readFailureCode(error) });
        throw error;
      }
    },
  };
}

/** Label from a fixed list, which bounds the number of series. */
function readFailureCode(error: unknown): string {
  const type = error instanceof ApplicationFailure ? (error.type ?? '') : '';
  return Object.hasOwn(FAILURES, type) || OTHER_CODES.includes(type) ? type : 'other';
}

/** Seconds, from the inspection of an icon to a large PDF. */
const TASK_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1200];
/** Limit for distinct step names. They come from a child process that reads untrusted bytes, so further names count as `other`. */
const MAX_STEPS = 50;

export type EngineMetrics = ReturnType<typeof createEngineMetrics>;

export function createEngineMetrics(registry: Registry) {
  const steps = new Set<string>();
  return {
    task: createTracedHistogram(registry, {
      name: 'burnish_engine_task_duration_seconds',
      help: 'Time of an engine task, including its wait for a child process, by outcome: completed, failed, stopped',
      labelNames: ['task', 'outcome'] as const,
      buckets: TASK_BUCKETS,
    }),
    step: createTracedHistogram(registry, {
      name: 'burnish_engine_step_duration_seconds',
      help: 'Time of a step within a task, from its progress reports',
      labelNames: ['task', 'step'] as const,
      buckets: TASK_BUCKETS,
    }),
    stepLabel(step: string): string {
      if (!/^[a-z][a-z0-9-]{0,39}$/.test(step)) return 'other';
      if (steps.size < MAX_STEPS) steps.add(step);
      return steps.has(step) ? step : 'other';
    },
  };
}

export function measureSandbox(sandbox: Sandbox, metrics: EngineMetrics): Sandbox {
  return {
    async run<T extends TaskName>(task: T, input: TaskInput<T>, options: RunOptions) {
      const startedAt = performance.now();
      const steps = stepClock((name, ms) => {
        const step = metrics.stepLabel(name);
        metrics.step.observe({ task, step }, ms / 1000);
        startSpan(`step ${step}`, { startTime: Date.now() - ms }).end();
      });
      const settle = (outcome: string): void =>
        metrics.task.observe({ task, outcome }, (performance.now() - startedAt) / 1000);
      try {
        return await inSpan(`engine ${task}`, {}, async () => {
          // The messages of a child arrive in the trace of its first task.
          const onProgress: RunOptions['onProgress'] = inThisTrace((progress) => {
            steps.at(progress.step);
            options.onProgress?.(progress);
          });
          const output: TaskOutput<T> = await sandbox.run(task, input, { ...options, onProgress });
          steps.end();
          settle('completed');
          return output;
        });
      } catch (error) {
        settle(options.signal?.aborted === true ? 'stopped' : 'failed');
        throw error;
      }
    },
    close: () => sandbox.close(),
  };
}

/** Measures the milliseconds from each step to the next one. */
function stepClock(report: (step: string, ms: number) => void): { at(step: string): void; end(): void } {
  let current: { step: string; since: number } | undefined;
  const end = (): void => {
    if (current !== undefined) report(current.step, performance.now() - current.since);
    current = undefined;
  };
  return {
    at(step) {
      if (current?.step === step) return;
      end();
      current = { step, since: performance.now() };
    },
    end,
  };
}

/** Seconds. A receiver must answer within 15. */
const ATTEMPT_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

export type WebhookMetrics = ReturnType<typeof createWebhookMetrics>;

export function createWebhookMetrics(registry: Registry) {
  return createTracedHistogram(registry, {
    name: 'burnish_webhook_attempt_duration_seconds',
    help: 'Attempts to deliver webhooks by outcome: delivered, failed, gone (410, or the endpoint has been removed)',
    labelNames: ['outcome'] as const,
    buckets: ATTEMPT_BUCKETS,
  });
}

/** Wraps the delivery log. An attempt counts once, on its first entry in the log. */
export function measureDeliveries<D extends Pick<Deliveries, 'recordAttempt'>>(
  deliveries: D,
  metrics: WebhookMetrics,
): D {
  return {
    ...deliveries,
    async recordAttempt(...[deliveryId, attempt, next]: Parameters<Deliveries['recordAttempt']>) {
      const isNew = await deliveries.recordAttempt(deliveryId, attempt, next);
      if (isNew) metrics.observe({ outcome: attempt.outcome }, attempt.latencyMs / 1000);
      return isNew;
    },
  };
}
