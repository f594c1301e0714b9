import { randomUUID } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Duplex } from 'node:stream';
import { Failure } from '../../domain/failures.ts';
import type { EnhancementProgress } from '../contract/progress.ts';
import { runAtInterval } from '../../process/run-at-interval.ts';
import { CHILD_HEAP_MIB, CHILD_START_TIMEOUT_MS } from '../limits.ts';
import type { ModelSet } from '../neural/model-set.ts';
import { MEMORY_HERE } from '../sizing.ts';
import { openChannel } from './channel.ts';
import { FRAME_LIMITS, type FrameLimits } from './frames.ts';
import { fromWire } from './child-messages.ts';
import { childProgram } from './child-program.ts';
import { brokenFailure, closedFailure, deathFailure, limitFailure, notStarted, oomKills } from './failures.ts';
import type { Jail } from './jail.ts';
import type { ChildArguments, ChildMessage } from './messages.ts';
import { countThreads, listChildren, MAX_THREADS, memoryBytes } from './process-usage.ts';
import { lowerSessionPriority } from './session-priority.ts';
import { watchTime, type TimeLimits } from './time-watch.ts';
import { refuseReplacedProgram } from './replaced-program.ts';
import { readableFor, type View } from './view.ts';

/** Milliseconds for the kernel to end a jail from within, before its supervisor is ended. */
const KILL_GRACE_MS = 2_000;

/** Bytes of warnings that a child may write in its life. Only the last are kept. */
const MAX_STDERR_BYTES = 64 * 1024 ** 2;

export interface Boxes extends Pick<View, 'inbox' | 'outbox'> {
  /** Out of the child's view */
  taken: string;
}

export interface ChildOptions {
  jail: Jail;
  /** Only for this child, outside its view */
  folder: string;
  boxes: Boxes;
  memoryLimitBytes: number;
  poolThreads: number;
  tasksUrl: URL;
  models: ModelSet;
}

export interface ChildRunOptions extends TimeLimits {
  onProgress: ((progress: EnhancementProgress) => void) | undefined;
  signal: AbortSignal | undefined;
  /** Bounds of the result, where it is longer than most */
  result?: FrameLimits | undefined;
}

/** One child process, which does one task at a time. After any failure of the process itself it is not usable again. */
export interface SandboxChild {
  run(task: string, input: unknown, options: ChildRunOptions): Promise<unknown>;
  usable(): boolean;
  tasksDone(): number;
  /** Resident memory; 0 after its end */
  memoryBytes(): Promise<number>;
  kill(): Promise<void>;
}

/** @throws Error when the machine starts no process just now, or an update changed the program */
export function startChild(options: ChildOptions): SandboxChild {
  refuseReplacedProgram();
  return supervise(spawnChild(options), options);
}

function spawnChild({
  jail,
  folder,
  boxes,
  memoryLimitBytes,
  poolThreads,
  tasksUrl,
  models,
}: ChildOptions): ChildProcess {
  const childArguments: ChildArguments = { tasksUrl: tasksUrl.href, models, watchesParent: jail.watchesParent };
  const { entry, flags, files } = childProgram;
  const words = [fileURLToPath(entry), JSON.stringify(childArguments)];
  return jail.start({
    nodeArguments: [...flags, `--max-old-space-size=${CHILD_HEAP_MIB}`, ...words],
    env: {
      UV_THREADPOOL_SIZE: String(poolThreads),
      // A second malloc arena for each core would only retain memory.
      MALLOC_ARENA_MAX: '2',
      TMPDIR: boxes.outbox,
      // A jail does not show how much of the machine is ours.
      ENGINE_MEMORY_BYTES: String(MEMORY_HERE),
      // The runtime of the networks would write files and contact its vendor.
      ORT_DISABLE_TELEMETRY: '1',
    },
    view: { readable: readableFor(models, fileURLToPath(tasksUrl), files), ...boxes },
    folder,
    memoryLimitBytes,
  });
}

export function failedChild(cause: unknown): SandboxChild {
  let tasksDone = 0;
  return {
    async run() {
      tasksDone += 1;
      throw cause instanceof Failure ? cause : notStarted(cause, oomKills());
    },
    kill: async () => undefined,
    usable: () => tasksDone === 0,
    tasksDone: () => tasksDone,
    memoryBytes: async () => 0,
  };
}

function supervise(process: ChildProcess, { jail, memoryLimitBytes }: ChildOptions): SandboxChild {
  const oomKillsAtStart = oomKills();
  const channel = openChannel(findChannel(process));
  let stderrTail = '';
  let stderrBytes = 0;
  process.stderr?.on('data', (chunk: Buffer) => {
    stderrTail = (stderrTail + chunk.toString()).slice(-4000);
    stderrBytes += chunk.length;
    if (stderrBytes > MAX_STDERR_BYTES) channel.emit('violation', new RangeError('The child writes too much text.'));
  });
  process.on('error', (error) => (stderrTail = error.message));
  const gone = new Promise<void>((resolve) => process.once('exit', () => resolve()));
  let alive = true;
  let killed = false;
  let tasksDone = 0;
  void gone.then(() => (alive = false));
  const ready = Promise.all([
    once(process, 'spawn'),
    once(channel, 'message', { signal: AbortSignal.timeout(CHILD_START_TIMEOUT_MS) }),
  ]);
  ready.then(() => lowerSessionPriority(process.pid!)).catch(() => undefined);
  channel.on('violation', () => void kill());

  const kill = async (): Promise<void> => {
    alive = false;
    killed = true;
    if (process.exitCode !== null || process.signalCode !== null || process.pid === undefined) return;
    const supervisor = process.pid;
    // The first process of the namespaces takes all others along, and its supervisor ends after it. A supervisor that is ended
    // before it has let the first one go would leave it waiting for ever.
    const look = (): void => killAll(listChildren(supervisor));
    const looks = jail.isolates ? (look(), setInterval(look, 20)) : undefined;
    const late = setTimeout(() => (look(), process.kill('SIGKILL')), jail.isolates ? KILL_GRACE_MS : 0);
    await gone;
    clearInterval(looks);
    clearTimeout(late);
    process.stderr?.destroy();
    channel.close();
  };

  const run = async (task: string, input: unknown, options: ChildRunOptions): Promise<unknown> => {
    const { onProgress, signal } = options;
    const id = randomUUID();
    await Promise.race([ready, gone]).catch((cause: unknown) => {
      void kill();
      throw notStarted(cause, oomKillsAtStart);
    });
    if (!alive) throw notStarted(new Error(`The child did not start: ${stderrTail}`), oomKillsAtStart);
    signal?.throwIfAborted();
    let stop = (): void => undefined;
    const oomKillsBefore = oomKills();
    try {
      return await new Promise((resolve, reject) => {
        const end = (reason: unknown): void => {
          reject(reason instanceof Error ? reason : new Error('Aborted.', { cause: reason }));
          void kill();
        };
        const onMessage = (message: ChildMessage): void => {
          if (message.type === 'ready') channel.emit('violation', new Error('The child starts again.'));
          else if (message.id !== id) channel.emit('violation', new Error('The child speaks of another task.'));
          else if (message.type === 'progress') onProgress?.(message.progress);
          else if (message.type === 'done') resolve(message.output);
          else reject(fromWire(message.failure));
        };
        const onViolation = (cause: Error): void => reject(brokenFailure(cause));
        const onExit = (code: number | null, by: NodeJS.Signals | null): void =>
          reject(killed ? closedFailure() : deathFailure({ code, by, stderrTail, oomKillsBefore }));
        const onAbort = (): void => end(signal?.reason);
        const unwatchTime = watchTime(process.pid!, options, end);
        const unwatch = watchMemory(process.pid!, memoryLimitBytes, (what) => end(limitFailure(what)));
        stop = () => {
          unwatchTime();
          unwatch();
          channel.off('message', onMessage).off('violation', onViolation);
          process.off('exit', onExit);
          signal?.removeEventListener('abort', onAbort);
        };
        channel.on('message', onMessage).on('violation', onViolation);
        process.on('exit', onExit);
        signal?.addEventListener('abort', onAbort, { once: true });
        channel.send({ id, task, input }, options.result ?? FRAME_LIMITS.done, (error) =>
          end(notStarted(error, oomKillsBefore)),
        );
      });
    } finally {
      stop();
      tasksDone += 1;
    }
  };
  return {
    run,
    kill,
    usable: () => alive,
    tasksDone: () => tasksDone,
    memoryBytes: async () => (process.pid === undefined ? 0 : memoryBytes(process.pid)),
  };
}

/** The stream on descriptor 3; undefined when the machine has started no process. */
function findChannel({ stdio }: { stdio?: ChildProcess['stdio'] }): Duplex | undefined {
  return stdio?.[3] as Duplex | undefined;
}

function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/**
 * Checks a process and its descendants every 100 ms, and calls once when they use more than `limitBytes`, or more threads than a
 * decoder has. Returns a function that stops the watch.
 */
function watchMemory(pid: number, limitBytes: number, onExceeded: (what: 'memory' | 'threads') => void): () => void {
  const stop = runAtInterval(
    100,
    async () => {
      const isLarge = (await memoryBytes(pid)) > limitBytes;
      if (!isLarge && countThreads(pid) <= MAX_THREADS) return;
      void stop();
      onExceeded(isLarge ? 'memory' : 'threads');
    },
    false,
  );
  return () => void stop();
}
