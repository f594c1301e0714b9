import { mkdtempSync, realpathSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_READERS, type MessageReaders, type Progress } from './channel/messages.ts';
import { createChildPool } from './child/child-pool.ts';
import type { ChildRunOptions } from './child/child-process.ts';
import type { ChildProgram } from './child/child-program.ts';
import { createIsolatedChild, type IsolatedChildOptions } from './child/isolated-child.ts';
import { removeFolder } from './child/remove-folder.ts';
import { createFairLimiter, type FairLimiter } from './fair-limiter.ts';
import { findJail, refusePatterns, refusePrivate, type Jail } from './isolation/jail.ts';
import { JailError } from './jail-error.ts';
import {
  DEFAULT_CPU_MS,
  DEFAULT_HEAP_MIB,
  DEFAULT_IDLE_MS,
  DEFAULT_MEMORY_BYTES,
  DEFAULT_STALLED_MS,
  DEFAULT_TASKS_PER_CHILD,
  defaultWallMs,
} from './limits.ts';

import type { ResultCheck, TaskFiles } from './tasks.ts';

export interface JailPoolOptions<P = Progress> {
  /** What Node.js runs in a child, and the module of the tasks */
  program: ChildProgram;
  /** The files of each task. Any other file is out of its reach */
  files?: Partial<Record<string, TaskFiles>>;
  /** What the result of each task can be; one without a check is believed */
  results?: Partial<Record<string, ResultCheck>>;
  /** How the parent reads progress and described errors. Default: a step with a fraction, and no descriptions */
  readers?: MessageReaders<P>;
  /** Members of the context of each task, as JSON */
  settings?: object;
  /** The whole environment of a child, apart from TMPDIR */
  env?: Record<string, string>;
  /** Paths that the tasks read, beside Node.js and the folders of the program and of the tasks */
  readable?: readonly string[];
  /** Tasks at once, each in its own child. Default: one for each core */
  concurrency?: number;
  /** Maximum resident memory of one child, bytes */
  memoryLimitBytes?: number;
  /** JavaScript heap of one child, MiB */
  heapMib?: number;
  /** Time without CPU time after which a child counts as stopped, milliseconds. Default: a minute */
  stalledMs?: number;
  /** Resident memory of all idle children beyond the first `concurrency`, bytes. Default: that of one child */
  idleMemoryBytes?: number;
  /** A child is replaced after this many tasks, so that leaks of memory do not accumulate */
  tasksPerChild?: number;
  /** A child without a task ends after this time, milliseconds. Default: a minute */
  idleMs?: number;
  /** Isolation of the children; by default the strongest one of this machine */
  jail?: Jail;
  /** Directory for passing files; on the disk of inputs and outputs, files are linked and moved instead of copied */
  scratchDir?: string;
}

export interface RunOptions<P = Progress> {
  /** Whose bytes they are; a child never gets those of another tenant */
  tenant: string;
  onProgress?: ((progress: P) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** Limit of the task's CPU time, milliseconds */
  cpuMs?: number;
  /** Time after which a task within its CPU time counts as starved, milliseconds */
  wallMs?: number;
  /** Gives the permits of a kind of work that other work must not delay. Default: that of the pool, with `concurrency` of them */
  limiter?: FairLimiter;
}

export interface JailPool<P = Progress> {
  /**
   * Runs a task on untrusted bytes in a child process. If the child dies, the task runs a second time, since the
   * machine may have ended the first child.
   * @throws JailError, an error of `readers.failure`, or the reason of the signal
   */
  run(task: string, input: object, options: RunOptions<P>): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Creates a pool of child processes. A child starts with the first task that needs it, and stays warm between the tasks of its
 * tenant.
 * @throws JailError UNUSABLE_PATH, PRIVATE_PATH, NO_TEMPORARY_FOLDER
 */
export function createJailPool<P = Progress>(options: JailPoolOptions<P>): JailPool<P> {
  const { program, jail = findJail(), concurrency = availableParallelism() } = options;
  const { stalledMs = DEFAULT_STALLED_MS, memoryLimitBytes = DEFAULT_MEMORY_BYTES } = options;
  const { entry, tasks } = program;
  const folders = [entry, tasks].map((url) => dirname(fileURLToPath(url)));
  refusePrivate(jail, [...folders, ...program.files, ...(options.readable ?? [])]);
  const root = mkdtempSync(join(realpathSync(options.scratchDir ?? tmpdir()), 'jail-'));
  refusePatterns(jail, [root, fileURLToPath(entry)]);
  const childOptions: Omit<IsolatedChildOptions<P>, 'folder'> = {
    jail,
    program,
    files: options.files ?? {},
    results: options.results ?? {},
    readers: options.readers ?? (DEFAULT_READERS as unknown as MessageReaders<P>),
    settings: options.settings ?? {},
    env: options.env ?? {},
    readable: options.readable ?? [],
    memoryLimitBytes,
    heapMib: options.heapMib ?? DEFAULT_HEAP_MIB,
  };
  let started = 0;
  const ownLimiter = createFairLimiter({ atOnce: concurrency });
  const pool = createChildPool<P>({
    kept: concurrency,
    idleMemoryBytes: options.idleMemoryBytes ?? memoryLimitBytes,
    tasksPerChild: options.tasksPerChild ?? DEFAULT_TASKS_PER_CHILD,
    idleMs: options.idleMs ?? DEFAULT_IDLE_MS,
    start: () => createIsolatedChild({ ...childOptions, folder: join(root, String((started += 1))) }),
  });

  type Run = ChildRunOptions<P> & { tenant: string; limiter: FairLimiter };
  const runOnce = (task: string, input: object, { tenant, limiter, ...run }: Run): Promise<unknown> =>
    limiter.run({ owner: tenant, signal: run.signal }, async () => {
      const child = pool.take(tenant);
      try {
        return await child.run(task, input, run);
      } finally {
        void pool.giveBack(child);
      }
    });

  return {
    async run(task, input, { tenant, onProgress, signal, cpuMs = DEFAULT_CPU_MS, wallMs, limiter = ownLimiter }) {
      const limits = { cpuMs, stalledMs, wallMs: wallMs ?? defaultWallMs(cpuMs) };
      const run: Run = { tenant, limiter, onProgress, signal, ...limits };
      return await runOnce(task, input, run).catch((first: unknown) => {
        if (!mayRepeat(first)) throw first;
        return runOnce(task, input, run).catch((second: unknown) => {
          throw mayRepeat(second) && isOfMachine(first) ? first : second;
        });
      });
    },
    async close() {
      await pool.close();
      await removeFolder(root);
    },
  };
}

const mayRepeat = (error: unknown): error is JailError => error instanceof JailError && error.mayRepeat;

/** One death by the machine and one crash prove nothing about the task. */
const isOfMachine = ({ code }: JailError): boolean => code === 'KILLED' || code === 'STARVED';
