import {
  createJailPool,
  type FairLimiter,
  type ResultCheck as CheckOfResult,
  type TaskFiles,
  type MessageReaders,
} from '@burnish/jail';
import { type EnhancementProgress, EngineError, failureOf } from '@burnish/contract';
import { TASK_CPU_MS, TASK_STARVED_MS, TASK_WALL_FACTOR } from '../domain/temporal/timeouts.ts';
import {
  checkResult,
  CHILD_HEAP_MIB,
  engineSizing,
  MEMORY_HERE,
  NO_MODELS,
  TASK_FILES,
  TASK_RESULTS,
  type ModelSet,
  type ResultCheck,
  type TaskInput,
  type TaskName,
  type TaskOutput,
  MAX_DETAIL_LENGTH,
  TASK_ERROR_CODES,
} from '@burnish/engine/host';
import { childProgram } from './child-program.ts';
import { toFailure, toStartupError } from './failures.ts';
import { findJail, type Jail } from './jail.ts';
import { readableFor } from './readable.ts';
import { z } from 'zod';

export interface SandboxOptions {
  /** Number of files processed at once, each in its own child. Default: by the cores and memory */
  concurrency?: number;
  /** Gives the permits of tasks that name none. Default: one with `concurrency` of them */
  limiter?: FairLimiter;
  /** Maximum resident memory of one child, bytes */
  memoryLimitBytes?: number;
  /** Time without CPU time after which a child counts as stopped, milliseconds. Default: a minute */
  stalledMs?: number;
  /** Resident memory of all idle children beyond the first `concurrency`, bytes. Default: a tenth of the machine's */
  idleMemoryBytes?: number;
  /** A child is replaced after this many tasks, so that a decoder's memory leaks do not accumulate */
  tasksPerChild?: number;
  /** A module like `tasks.ts` that lists the allowed tasks, for another list than the engine's own */
  tasksUrl?: URL;
  files?: Partial<Record<string, TaskFiles>>;
  /** What the results of those tasks can be; a task without a check is believed */
  results?: Partial<Record<string, ResultCheck>>;
  models?: ModelSet;
  /** Isolation of the children; by default the strongest one available on this machine */
  jail?: Jail;
  /** Directory for passing files; on the disk of inputs and outputs, files are linked and moved instead of copied */
  scratchDir?: string;
}

export interface RunOptions {
  /** Account of the files; a child never gets those of another one */
  account: string;
  onProgress?: (progress: EnhancementProgress) => void;
  signal?: AbortSignal;
  /** Limit of the task's CPU time, milliseconds */
  cpuMs?: number;
  /** Gives the permits of a kind of work that other work must not delay. Default: that of the sandbox */
  limiter?: FairLimiter;
}

export interface Sandbox {
  /**
   * Runs a task on untrusted bytes in a child process. If the child dies, the task runs a second time, since the
   * machine may have ended the first child.
   * @throws Failure of the task itself; PROCESSING_LIMIT over CPU time or memory; CORRUPT_FILE when the child crashed
   * twice; UNAVAILABLE when the machine ended, stopped or starved a child, when no child starts, or when the sandbox
   * is closed
   */
  run<T extends TaskName>(task: T, input: TaskInput<T>, options: RunOptions): Promise<TaskOutput<T>>;
  close(): Promise<void>;
}

/** Creates a pool of child processes in jails, the only place for decoding untrusted bytes. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const sizing = engineSizing();
  const { models = NO_MODELS, tasksUrl, stalledMs, tasksPerChild, scratchDir } = options;
  const { poolThreads } = sizing;
  const pool = attempt(() =>
    createJailPool({
      program: { ...childProgram, ...(tasksUrl && { tasks: tasksUrl }) },
      files: options.files ?? TASK_FILES,
      results: jailChecks(options.results ?? (tasksUrl === undefined ? TASK_RESULTS : {})),
      readers: messageReaders,
      settings: { models },
      env: environment(poolThreads),
      readable: readableFor(models),
      concurrency: options.concurrency ?? sizing.files.large,
      memoryLimitBytes: options.memoryLimitBytes ?? sizing.memoryLimitBytes,
      heapMib: CHILD_HEAP_MIB,
      idleMemoryBytes: options.idleMemoryBytes ?? sizing.idleMemoryBytes,
      jail: options.jail ?? findJail(),
      ...(stalledMs !== undefined && { stalledMs }),
      ...(tasksPerChild !== undefined && { tasksPerChild }),
      ...(scratchDir !== undefined && { scratchDir }),
    }),
  );
  return {
    async run(task, input, { account, cpuMs = TASK_CPU_MS.image, limiter = options.limiter, ...run }) {
      const wallMs = Math.max(TASK_STARVED_MS, cpuMs * TASK_WALL_FACTOR);
      const output = await pool
        .run(task, input, { tenant: account, cpuMs, wallMs, ...run, ...(limiter && { limiter }) })
        .catch((error: unknown) => Promise.reject(toFailure(error) as Error));
      return output as TaskOutput<typeof task>;
    },
    close: () => pool.close(),
  };
}

function attempt<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw toStartupError(error);
  }
}

function environment(poolThreads: number): Record<string, string> {
  return {
    UV_THREADPOOL_SIZE: String(poolThreads),
    // A second malloc arena for each core would only retain memory.
    MALLOC_ARENA_MAX: '2',
    // A jail does not show how much of the machine is ours.
    ENGINE_MEMORY_BYTES: String(MEMORY_HERE),
    // The runtime of the networks would write files and contact its vendor.
    ORT_DISABLE_TELEMETRY: '1',
  };
}

function jailChecks(results: Partial<Record<string, ResultCheck>>): Record<string, CheckOfResult> {
  const checks: Record<string, CheckOfResult> = {};
  for (const [task, check] of Object.entries(results)) {
    if (check !== undefined)
      checks[task] = { limits: check.limits, check: (input, output) => checkResult(check, input, output) };
  }
  return checks;
}

const progress = z.object({
  step: z.string().max(100),
  // A sum of shares can exceed the whole by a rounding error, and a share of nothing is no number, which JSON writes as null.
  fraction: z
    .number()
    .nullable()
    .transform((value) => Math.min(1, Math.max(0, value ?? 0))),
  images: z.int().min(0).optional(),
});

const error = z.object({
  code: z.enum(TASK_ERROR_CODES),
  detail: z.string().max(MAX_DETAIL_LENGTH).optional(),
  field: z.string().max(100).optional(),
});

/** Checks what children say of their tasks. A ZodError for anything that the code of a child does not send ends the child. */
export const messageReaders: MessageReaders<EnhancementProgress> = {
  progress: (value) => progress.parse(value) as EnhancementProgress,
  failure(value, cause) {
    const { code, detail, field } = error.parse(value);
    return failureOf(
      new EngineError(code, {
        ...(detail !== undefined && { detail }),
        ...(field !== undefined && { field }),
        ...(cause !== undefined && { cause }),
      }),
    );
  },
};
