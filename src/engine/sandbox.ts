import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EnhancementProgress } from '../domain/enhancement/enhancement.ts';
import { SANDBOX_MS } from '../domain/temporal/timeouts.ts';
import type { TaskInput, TaskName, TaskOutput } from './tasks.ts';
import type { ChildRunOptions, SandboxChild } from './sandbox/child-process.ts';
import { closedFailure, DecoderDeath } from './sandbox/failures.ts';
import { createIsolatedChild, type IsolatedChildOptions } from './sandbox/isolated-child.ts';
import { findJail, type Jail } from './sandbox/jail.ts';
import { TASK_FILES, type TaskFiles } from './sandbox/task-files.ts';
import { NO_MODELS } from './neural/model-set.ts';
import type { ModelSet } from './neural/model-set.ts';
import { engineSizing } from './sizing.ts';

export interface SandboxOptions {
  /** How many files are worked on at once, each in a child of its own. Default: by the cores and memory */
  concurrency?: number;
  /** Most resident memory of one child, bytes */
  memoryLimitBytes?: number;
  /** A child is replaced after this many tasks, so that leaks of a decoder do not add up */
  tasksPerChild?: number;
  /** A module like `tasks.ts` that says what may run; for other lists of tasks than the engine's own */
  tasksUrl?: URL;
  /** Which files those tasks have to do with */
  files?: Partial<Record<string, TaskFiles>>;
  /** The neural networks that tasks may use; absent: none */
  models?: ModelSet;
  /** What holds the children; by default the strongest that works on this machine */
  jail?: Jail;
  /** Where files are handed over; on the disk of inputs and outputs, they are linked and moved, not copied */
  scratchDir?: string;
}

export interface RunOptions {
  onProgress?: (progress: EnhancementProgress) => void;
  /** Kills the child; the promise rejects with the signal's reason */
  signal?: AbortSignal;
  /** Wall clock of the task itself, milliseconds; waiting for a free child does not count */
  timeoutMs?: number;
}

export interface Sandbox {
  /**
   * Runs a task on untrusted bytes in a child process.
   * A task whose child died is run once more: the machine may have ended the first one.
   * @throws Failure as the task threw it; PROCESSING_LIMIT over time or memory; CORRUPT_FILE when the child crashed twice; UNAVAILABLE
   *   when no child could be started or the sandbox is closed
   */
  run<T extends TaskName>(task: T, input: TaskInput<T>, options?: RunOptions): Promise<TaskOutput<T>>;
  /** Ends all children; running and waiting tasks fail. */
  close(): Promise<void>;
}

/** A pool of warm child processes in which untrusted bytes are decoded, and nowhere else. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const sizing = engineSizing();
  const concurrency = options.concurrency ?? sizing.slots;
  const tasksPerChild = options.tasksPerChild ?? 200;
  const root = mkdtempSync(join(realpathSync(options.scratchDir ?? tmpdir()), 'sandbox-'));
  const childOptions: Omit<IsolatedChildOptions, 'folder'> = {
    jail: options.jail ?? findJail(),
    files: options.files ?? TASK_FILES,
    memoryLimitBytes: options.memoryLimitBytes ?? sizing.memoryLimitBytes,
    poolThreads: sizing.poolThreads,
    tasksUrl: options.tasksUrl ?? moduleBeside('tasks'),
    models: options.models ?? NO_MODELS,
  };
  const idle: SandboxChild[] = [];
  const all = new Set<SandboxChild>();
  const waiting: ((child: SandboxChild) => void)[] = [];
  let closed = false;
  let started = 0;

  const offer = (child: SandboxChild): void => {
    const next = waiting.shift();
    if (next) next(child);
    else idle.push(child);
  };
  const start = (): void => {
    const child = createIsolatedChild({ ...childOptions, folder: join(root, String((started += 1))) });
    all.add(child);
    offer(child);
  };
  const retire = async (child: SandboxChild): Promise<void> => {
    await child.kill();
    all.delete(child);
  };
  const giveBack = (child: SandboxChild): void => {
    if (!closed && child.usable() && child.tasksDone() < tasksPerChild) return offer(child);
    void retire(child);
    if (!closed) start();
  };
  /** The next free child, in the order of asking. */
  const take = async (signal: AbortSignal | undefined): Promise<SandboxChild> => {
    const child = idle.shift();
    if (child) return child.usable() ? child : (giveBack(child), take(signal));
    return new Promise((resolve, reject) => {
      const place = (free: SandboxChild): void => {
        signal?.removeEventListener('abort', leave);
        if (closed) reject(closedFailure());
        else resolve(free);
      };
      const leave = (): void => {
        waiting.splice(waiting.indexOf(place), 1);
        reject(signal?.reason as Error);
      };
      waiting.push(place);
      signal?.addEventListener('abort', leave, { once: true });
    });
  };

  const runOnce = async (task: string, input: unknown, options: ChildRunOptions): Promise<unknown> => {
    options.signal?.throwIfAborted();
    if (closed) throw closedFailure();
    const child = await take(options.signal);
    try {
      return await child.run(task, input, options);
    } finally {
      giveBack(child);
    }
  };

  for (let i = 0; i < concurrency; i += 1) start();
  return {
    async run(task, input, { onProgress, signal, timeoutMs = SANDBOX_MS.image } = {}) {
      const options = { timeoutMs, onProgress, signal };
      const again = (error: unknown): Promise<unknown> => {
        if (!(error instanceof DecoderDeath)) throw error;
        return runOnce(task, input, options);
      };
      return (await runOnce(task, input, options).catch(again)) as TaskOutput<typeof task>;
    },
    async close() {
      closed = true;
      const children = [...all];
      const [first] = children;
      if (first) for (const place of waiting.splice(0)) place(first);
      await Promise.all(children.map(retire));
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** A sibling of this module, as source or as compiled, whichever this one is. */
function moduleBeside(name: string): URL {
  return new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
}
