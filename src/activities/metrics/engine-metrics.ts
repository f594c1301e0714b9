import { Histogram, type Registry } from 'prom-client';
import type { RunOptions, Sandbox } from '../../engine/sandbox.ts';
import type { TaskInput, TaskName, TaskOutput } from '../../engine/tasks.ts';

/** Seconds; from a look at an icon to a large PDF. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1200];
/** Names of steps come from a child process that reads untrusted bytes: more than this are no names of ours. */
const MAX_STEPS = 50;

export type EngineMetrics = ReturnType<typeof createEngineMetrics>;

/** How long the engine works, by the kind of its work and within it by step. */
export function createEngineMetrics(registry: Registry) {
  const registers = [registry];
  const steps = new Set<string>();
  return {
    task: new Histogram({
      name: 'burnish_engine_task_duration_seconds',
      help: 'Time of a task of the engine, with its wait for a free child process, by outcome: completed, failed, stopped',
      labelNames: ['task', 'outcome'] as const,
      buckets: BUCKETS,
      registers,
    }),
    step: new Histogram({
      name: 'burnish_engine_step_duration_seconds',
      help: 'Time of a step within a task, as its progress tells it',
      labelNames: ['task', 'step'] as const,
      buckets: BUCKETS,
      registers,
    }),
    stepLabel(step: string): string {
      if (!/^[a-z][a-z0-9-]{0,39}$/.test(step)) return 'other';
      if (steps.size < MAX_STEPS) steps.add(step);
      return steps.has(step) ? step : 'other';
    },
  };
}

/** The same sandbox, measured. */
export function measureSandbox(sandbox: Sandbox, metrics: EngineMetrics): Sandbox {
  return {
    async run<T extends TaskName>(task: T, input: TaskInput<T>, options: RunOptions = {}) {
      const startedAt = performance.now();
      const steps = stepClock((step, ms) => metrics.step.observe({ task, step: metrics.stepLabel(step) }, ms / 1000));
      const onProgress: RunOptions['onProgress'] = (progress) => {
        steps.at(progress.step);
        options.onProgress?.(progress);
      };
      const settle = (outcome: string): void =>
        metrics.task.observe({ task, outcome }, (performance.now() - startedAt) / 1000);
      try {
        const output: TaskOutput<T> = await sandbox.run(task, input, { ...options, onProgress });
        steps.end();
        settle('completed');
        return output;
      } catch (error) {
        settle(options.signal?.aborted === true ? 'stopped' : 'failed');
        throw error;
      }
    },
    close: () => sandbox.close(),
  };
}

/** Tells of each step how many milliseconds passed until the next one began. */
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
