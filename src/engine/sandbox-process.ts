import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { EnhancementProgress } from '../domain/enhancement.ts';
import { Failure } from '../domain/failures.ts';
import { CHILD_HEAP_MIB, CHILD_START_TIMEOUT_MS } from './limits.ts';
import { watchMemory } from './memory-watch.ts';
import type { ModelSet } from './neural/model-set.ts';
import { fromWire } from './sandbox-messages.ts';
import type { ChildMessage } from './sandbox-messages.ts';

export interface ChildOptions {
  memoryLimitBytes: number;
  poolThreads: number;
  tasksUrl: URL;
  models: ModelSet;
}

export interface ChildRunOptions {
  timeoutMs: number;
  onProgress: ((progress: EnhancementProgress) => void) | undefined;
  signal: AbortSignal | undefined;
}

/** One child process, which does one task at a time. After any failure of the process itself it is not usable again. */
export interface SandboxChild {
  run(task: string, input: unknown, options: ChildRunOptions): Promise<unknown>;
  usable(): boolean;
  tasksDone(): number;
  kill(): Promise<void>;
}

/** Never throws: a machine that starts no process just now costs a task, which may be tried again, and not a place in the pool. */
export function createSandboxChild(options: ChildOptions): SandboxChild {
  try {
    return supervise(forkChild(options), options);
  } catch (error) {
    return stillborn(error);
  }
}

function forkChild({ poolThreads, tasksUrl, models }: ChildOptions): ChildProcess {
  return fork(entry.path, [tasksUrl.href, JSON.stringify(models)], {
    execArgv: [...entry.execArgv, `--max-old-space-size=${CHILD_HEAP_MIB}`],
    // No secret of the parent is in reach. A second malloc arena a core would only hold memory back.
    env: { UV_THREADPOOL_SIZE: String(poolThreads), MALLOC_ARENA_MAX: '2', TMPDIR: tmpdir() },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/** In the place of a child that could not be started: fails the one task that it is given. */
function stillborn(cause: unknown): SandboxChild {
  let tasksDone = 0;
  return {
    async run() {
      tasksDone += 1;
      throw new Failure('INTERNAL', { cause });
    },
    kill: async () => undefined,
    usable: () => tasksDone === 0,
    tasksDone: () => tasksDone,
  };
}

function supervise(process: ChildProcess, { memoryLimitBytes }: ChildOptions): SandboxChild {
  let lastWords = '';
  process.stderr?.on('data', (chunk: Buffer) => (lastWords = (lastWords + chunk.toString()).slice(-4000)));
  process.on('error', (error) => (lastWords = error.message));
  const gone = new Promise<void>((resolve) => process.once('exit', () => resolve()));
  let alive = true;
  let killed = false;
  let tasksDone = 0;
  void gone.then(() => (alive = false));
  const ready = once(process, 'message', { signal: AbortSignal.timeout(CHILD_START_TIMEOUT_MS) });
  ready.catch(() => undefined);

  const kill = async (): Promise<void> => {
    alive = false;
    killed = true;
    if (process.exitCode === null && process.signalCode === null && process.kill('SIGKILL')) await gone;
  };

  const run = async (task: string, input: unknown, options: ChildRunOptions): Promise<unknown> => {
    const { timeoutMs, onProgress, signal } = options;
    await Promise.race([ready, gone]).catch((cause: unknown) => {
      void kill();
      throw new Failure('INTERNAL', { cause });
    });
    if (!alive) throw new Failure('INTERNAL', { cause: new Error(`The child did not start: ${lastWords}`) });
    signal?.throwIfAborted();
    let stop = (): void => undefined;
    try {
      return await new Promise((resolve, reject) => {
        const end = (reason: unknown): void => {
          reject(reason instanceof Error ? reason : new Error('Aborted.', { cause: reason }));
          void kill();
        };
        const onMessage = (message: ChildMessage): void => {
          if (message.type === 'progress') onProgress?.(message.progress);
          else if (message.type === 'done') resolve(message.output);
          else if (message.type === 'failed') reject(fromWire(message.failure));
        };
        const onExit = (code: number | null, by: NodeJS.Signals | null): void =>
          reject(killed ? closedFailure() : deathFailure(code, by, lastWords));
        const onAbort = (): void => end(signal?.reason);
        const timer = setTimeout(() => end(limitFailure('time')), timeoutMs);
        const unwatch = watchMemory(process.pid!, memoryLimitBytes, () => end(limitFailure('memory')));
        stop = () => {
          clearTimeout(timer);
          unwatch();
          process.off('message', onMessage).off('exit', onExit);
          signal?.removeEventListener('abort', onAbort);
        };
        process.on('message', onMessage).on('exit', onExit);
        signal?.addEventListener('abort', onAbort, { once: true });
        process.send({ task, input }, (error) => error && end(new Failure('INTERNAL', { cause: error })));
      });
    } finally {
      stop();
      tasksDone += 1;
    }
  };
  return { run, kill, usable: () => alive, tasksDone: () => tasksDone };
}

function limitFailure(what: 'time' | 'memory'): Failure {
  return new Failure('PROCESSING_LIMIT', { detail: `The file needs more ${what} than the limit.` });
}

/** The sandbox is being closed, which is no fault of the file: the task may be done again elsewhere. */
export function closedFailure(): Failure {
  return new Failure('INTERNAL', { cause: new Error('The sandbox is closed.') });
}

/** Why a child died by itself: for want of memory, which the kernel or V8 ends, or by a fault in a decoder. */
function deathFailure(code: number | null, by: NodeJS.Signals | null, lastWords: string): Failure {
  const cause = new Error(`The child ended with ${by ?? `exit code ${code}`}: ${lastWords}`);
  if (by === 'SIGKILL' || /out of memory|bad_alloc/i.test(lastWords)) {
    return new Failure('PROCESSING_LIMIT', { detail: limitFailure('memory').message, cause });
  }
  return new Failure('CORRUPT_FILE', { detail: 'The file made its decoder crash.', cause });
}

/** Compiled JavaScript runs as it is; from the sources, tsx strips the types. */
const entry = import.meta.url.endsWith('.ts')
  ? {
      path: fileURLToPath(new URL('./sandbox-child.ts', import.meta.url)),
      execArgv: ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href],
    }
  : { path: fileURLToPath(new URL('./sandbox-child.js', import.meta.url)), execArgv: [] };
