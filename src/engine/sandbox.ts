import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EnhancementProgress } from './contract/progress.ts';
import { removeFolder } from '../process/process-folders.ts';
import { TASK_CPU_MS } from '../domain/temporal/timeouts.ts';
import type { TaskInput, TaskName, TaskOutput } from './tasks.ts';
import type { ChildRunOptions } from './sandbox/child-process.ts';
import { childProgram } from './sandbox/child-program.ts';
import { createChildPool } from './sandbox/child-pool.ts';
import { DecoderDeath } from './sandbox/failures.ts';
import { createPlaces, type Places } from './sandbox/places.ts';
import { createIsolatedChild, type IsolatedChildOptions } from './sandbox/isolated-child.ts';
import { findJail, refusePatterns, type Jail } from './sandbox/jail.ts';
import { TASK_RESULTS, type ResultCheck } from './sandbox/results.ts';
import { TASK_FILES, type TaskFiles } from './sandbox/task-files.ts';
import { NO_MODELS } from './neural/model-set.ts';
import type { ModelSet } from './neural/model-set.ts';
import { engineSizing } from './sizing.ts';

export interface SandboxOptions {
  /** Number of files processed at once, each in its own child. Default: by the cores and memory */
  concurrency?: number;
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
  /** Places of a kind of work that other work must not delay. Default: those of the sandbox, its `concurrency` */
  places?: Places;
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

/** No file keeps a disk busy for so long without any computation. */
const STALLED_MS = 60_000;

/**
 * Creates a pool of child processes, the only place for decoding untrusted bytes. A child starts with the first task that
 * needs it, and stays warm between the tasks of its account.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const sizing = engineSizing();
  const concurrency = options.concurrency ?? sizing.files.large;
  const stalledMs = options.stalledMs ?? STALLED_MS;
  const root = mkdtempSync(join(realpathSync(options.scratchDir ?? tmpdir()), 'sandbox-'));
  const { jail = findJail(), models = NO_MODELS, tasksUrl = childProgram.tasks } = options;
  refusePatterns(jail, [root, fileURLToPath(childProgram.entry)]);
  const childOptions: Omit<IsolatedChildOptions, 'folder'> = {
    jail,
    files: options.files ?? TASK_FILES,
    results: options.results ?? (options.tasksUrl === undefined ? TASK_RESULTS : {}),
    memoryLimitBytes: options.memoryLimitBytes ?? sizing.memoryLimitBytes,
    poolThreads: sizing.poolThreads,
    tasksUrl,
    models,
  };
  let started = 0;
  const ownPlaces = createPlaces(concurrency);
  const pool = createChildPool({
    kept: concurrency,
    idleMemoryBytes: options.idleMemoryBytes ?? sizing.idleMemoryBytes,
    tasksPerChild: options.tasksPerChild ?? 1_000,
    start: () => createIsolatedChild({ ...childOptions, folder: join(root, String((started += 1))) }),
  });

  type Run = ChildRunOptions & { account: string; places: Places };
  const runOnce = async (task: string, input: unknown, { account, places, ...options }: Run): Promise<unknown> => {
    options.signal?.throwIfAborted();
    await places.enter(account, options.signal);
    try {
      const child = pool.take(account);
      try {
        return await child.run(task, input, options);
      } finally {
        void pool.giveBack(child);
      }
    } finally {
      places.leave(account);
    }
  };

  return {
    async run(task, input, { account, onProgress, signal, cpuMs = TASK_CPU_MS.image, places = ownPlaces }) {
      const options = { account, places, cpuMs, stalledMs, onProgress, signal };
      const again = (first: unknown): Promise<unknown> => {
        if (!(first instanceof DecoderDeath)) throw first;
        return runOnce(task, input, options).catch((second: unknown) => {
          // One death by the machine and one crash prove nothing about the file.
          throw second instanceof DecoderDeath && first.code === 'UNAVAILABLE' ? first : second;
        });
      };
      return (await runOnce(task, input, options).catch(again)) as TaskOutput<typeof task>;
    },
    async close() {
      await pool.close();
      await removeFolder(root);
    },
  };
}
