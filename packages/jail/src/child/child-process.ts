import { randomUUID } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Duplex } from 'node:stream';
import { openChannel } from '../channel/channel.ts';
import { FRAME_LIMITS, type FrameLimits } from '../channel/frames.ts';
import type { ChildArguments, ChildMessage, MessageReaders } from '../channel/messages.ts';
import type { Jail, SharedMounts } from '../isolation/jail.ts';
import { readOnlyMounts } from '../isolation/mounts.ts';
import { JailError } from '../jail-error.ts';
import { CHILD_START_TIMEOUT_MS, MAX_STDERR_BYTES } from '../limits.ts';
import { halt, resume } from '../watch/halt.ts';
import { holdingsOf } from '../watch/process-usage.ts';
import { lowerSessionPriority } from '../watch/session-priority.ts';
import { watchMemory, watchRest, watchTime, type TimeLimits } from '../watch/watch.ts';
import { endProcess } from './end-process.ts';
import { deathError, invalidOutput, notStarted, oomKills } from './child-errors.ts';
import type { ChildProgram } from './child-program.ts';

/** The folders through which files pass between parent and child. */
export interface SharedFolders extends SharedMounts {
  /** Out of the child's mounts */
  taken: string;
}

export interface ChildOptions<P> {
  jail: Jail;
  program: ChildProgram;
  /** Paths that the tasks read, beside Node.js and the program */
  readable: readonly string[];
  env: Record<string, string>;
  /** For the context of each task, as JSON */
  settings: object;
  readers: MessageReaders<P>;
  memoryLimitBytes: number;
  heapMib: number;
  /** Only for this child, outside its mounts */
  folder: string;
  shared: SharedFolders;
}

export interface ChildRunOptions<P> extends TimeLimits {
  onProgress: ((progress: P) => void) | undefined;
  signal: AbortSignal | undefined;
  /** Bounds of the result, where it is longer than most */
  result?: FrameLimits | undefined;
}

/** One child process, which does one task at a time. After any failure of the process itself it is not usable again. */
export interface Child<P> {
  run(task: string, input: unknown, options: ChildRunOptions<P>): Promise<unknown>;
  usable(): boolean;
  tasksDone(): number;
  /** Memory, bytes; 0 after its end */
  memoryBytes(): Promise<number>;
  kill(): Promise<void>;
}

/** @throws Error when the machine starts no process just now, or an update changed the program */
export function startChild<P>(options: ChildOptions<P>): Child<P> {
  options.program.assertUnchanged();
  return supervise(spawnChild(options), options);
}

function spawnChild<P>(options: ChildOptions<P>): ChildProcess {
  const { jail, program, readable, env, settings, memoryLimitBytes, heapMib, folder, shared } = options;
  const { entry, tasks, flags, files } = program;
  const childArguments: ChildArguments = { tasks: tasks.href, settings, watchesParent: jail.watchesParent };
  const folders = [entry, tasks].map((url) => dirname(fileURLToPath(url)));
  return jail.start({
    nodeArguments: [
      ...flags,
      // A task is short, so waking V8's helper threads for its garbage costs more than they do.
      '--single-threaded-gc',
      `--max-old-space-size=${heapMib}`,
      fileURLToPath(entry),
      JSON.stringify(childArguments),
    ],
    env: { ...env, TMPDIR: shared.outbox },
    mounts: {
      readOnly: readOnlyMounts([...folders, ...files, ...readable]),
      inbox: shared.inbox,
      outbox: shared.outbox,
      uid: shared.uid,
    },
    folder,
    memoryLimitBytes,
  });
}

/** A child that the machine could not start: only its first task fails. */
export function failedChild<P>(cause: unknown): Child<P> {
  let tasksDone = 0;
  return {
    async run() {
      tasksDone += 1;
      throw cause instanceof JailError ? cause : notStarted(cause, oomKills());
    },
    kill: async () => undefined,
    usable: () => tasksDone === 0,
    tasksDone: () => tasksDone,
    memoryBytes: async () => 0,
  };
}

function supervise<P>(process: ChildProcess, { jail, memoryLimitBytes, readers }: ChildOptions<P>): Child<P> {
  const oomKillsAtStart = oomKills();
  const channel = openChannel(findChannel(process), readers);
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
  let unwatchRest = (): void => undefined;
  void gone.then(() => {
    alive = false;
    unwatchRest();
  });
  const ready = Promise.all([
    once(process, 'spawn'),
    once(channel, 'message', { signal: AbortSignal.timeout(CHILD_START_TIMEOUT_MS) }),
  ]);
  // Between tasks a child does nothing. Its parent looks whether that is so.
  const rest = (): void => {
    if (!alive) return;
    halt(process.pid!, jail);
    unwatchRest = watchRest(process.pid!, memoryLimitBytes, () => void kill());
  };
  const wake = (): void => {
    unwatchRest();
    resume(process.pid!, jail);
  };
  ready.then(() => (rest(), lowerSessionPriority(process.pid!))).catch(() => undefined);
  channel.on('violation', () => void kill());

  const kill = async (): Promise<void> => {
    alive = false;
    killed = true;
    unwatchRest();
    if (process.exitCode !== null || process.signalCode !== null || process.pid === undefined) return;
    await endProcess(process, jail, gone);
    process.stderr?.destroy();
    channel.close();
  };

  const run = async (task: string, input: unknown, options: ChildRunOptions<P>): Promise<unknown> => {
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
    wake();
    try {
      return await new Promise((resolve, reject) => {
        const end = (reason: unknown): void => {
          reject(reason instanceof Error ? reason : new Error('Aborted.', { cause: reason }));
          void kill();
        };
        const onMessage = (message: ChildMessage<P>): void => {
          if (message.type === 'ready') channel.emit('violation', new Error('The child starts again.'));
          else if (message.id !== id) channel.emit('violation', new Error('The child speaks of another task.'));
          else if (message.type === 'progress') onProgress?.(message.progress);
          else if (message.type === 'done') resolve(message.output);
          else reject(message.error);
        };
        const onViolation = (cause: Error): void => reject(invalidOutput(cause));
        const onExit = (code: number | null, by: NodeJS.Signals | null): void =>
          reject(killed ? new JailError('CLOSED') : deathError({ code, by, stderrTail, oomKillsBefore }));
        const onAbort = (): void => end(signal?.reason);
        const unwatchTime = watchTime(process.pid!, options, end);
        const unwatchMemory = watchMemory(process.pid!, memoryLimitBytes, end);
        stop = () => {
          unwatchTime();
          unwatchMemory();
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
      rest();
    }
  };
  return {
    run,
    kill,
    usable: () => alive,
    tasksDone: () => tasksDone,
    memoryBytes: async () => (process.pid === undefined ? 0 : (await holdingsOf(process.pid)).bytes),
  };
}

/** The stream on descriptor 3; undefined when the machine has started no process. */
function findChannel({ stdio }: { stdio?: ChildProcess['stdio'] }): Duplex | undefined {
  return stdio?.[3] as Duplex | undefined;
}
