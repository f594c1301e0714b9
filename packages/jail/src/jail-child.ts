import { Socket } from 'node:net';
import { constants, getPriority, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { encodeFrame, FRAME_LIMITS, frameReader } from './channel/frames.ts';
import {
  failedMessage,
  type ChildArguments,
  type Progress,
  type SentMessage,
  type TaskMessage,
} from './channel/messages.ts';
import type { TaskModule } from './tasks.ts';

/** Progress more often than this, in milliseconds, is dropped. */
const PROGRESS_INTERVAL_MS = 100;

const channel = new Socket({ fd: 3 });

/** The entry of a child: waits for tasks on its channel, one at a time, and dies with its parent. */
async function main({ tasks: url, settings, watchesParent }: ChildArguments): Promise<void> {
  channel.on('close', () => process.exit(0)).on('error', () => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  // A file that grows over its limit is an error of that write.
  process.on('SIGXFSZ', () => undefined);
  // On one machine, programs that answer come before those that compute. The parent sees to kernels that share time among
  // sessions first.
  if (getPriority() < constants.priority.PRIORITY_BELOW_NORMAL) setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  if (watchesParent) watchParent();
  const tasks = (await import(url)) as TaskModule;
  await tasks.prepare?.();
  channel.on(
    'data',
    frameReader(
      (message) => void runTask(tasks, message as TaskMessage, settings),
      (kind) => (kind === 'task' ? FRAME_LIMITS.task : undefined),
    ),
  );
  send({ type: 'ready' });
}

async function runTask(
  { TASKS, describeError }: TaskModule,
  { id, task, input }: TaskMessage,
  settings: object,
): Promise<void> {
  const progress = throttledProgress(id);
  try {
    const load = Object.hasOwn(TASKS, task) ? TASKS[task] : undefined;
    if (!load) throw new Error(`There is no task ${task}.`);
    const run = await load();
    const output = await run(input, { ...settings, onProgress: progress.tell });
    progress.end();
    send({ type: 'done', id, output });
  } catch (error) {
    progress.end();
    send(failedMessage(id, error, describeError?.(error)));
  }
}

/** Lets a new step through at once, and steps of the same name ten times a second; after its end, nothing. */
function throttledProgress(id: string): { tell(progress: Progress): void; end(): void } {
  let last = { step: '', at: 0 };
  let ended = false;
  return {
    tell(progress) {
      const now = performance.now();
      if (ended || (progress.step === last.step && now - last.at < PROGRESS_INTERVAL_MS)) return;
      last = { step: progress.step, at: now };
      send({ type: 'progress', id, progress });
    },
    end: () => void (ended = true),
  };
}

function send(message: SentMessage): void {
  channel.write(encodeFrame(message));
}

/**
 * A task in an endless loop never returns to the event loop, so it would not notice the end of its parent.
 * A thread does: it detects that the process has another parent.
 */
function watchParent(): void {
  const code = `const parent = ${process.ppid};
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 1000);`;
  new Worker(code, { eval: true, execArgv: [], env: {}, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref();
}

void main(JSON.parse(process.argv[2]!) as ChildArguments);
