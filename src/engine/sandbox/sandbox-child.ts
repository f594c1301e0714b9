import { Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { EnhancementProgress } from '../contract/progress.ts';
import type { ModelSet } from '../neural/model-set.ts';
import { encodeFrame, FRAME_LIMITS, frameReader } from './frames.ts';
import { toWire } from './messages.ts';
import type { ChildArguments, ChildMessage, TaskMessage } from './messages.ts';
import type { TaskRunner } from '../tasks.ts';

/** Progress more often than this, in milliseconds, is dropped. */
const PROGRESS_INTERVAL_MS = 100;

interface TaskModule {
  TASKS: Record<string, () => Promise<TaskRunner<unknown, unknown>>>;
  prepare?: () => Promise<void>;
}

const channel = new Socket({ fd: 3 });

/** The entry of a child: waits for tasks on its channel, one at a time, and dies with its parent. */
async function main({ tasksUrl, models, watchesParent }: ChildArguments): Promise<void> {
  channel.on('close', () => process.exit(0)).on('error', () => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  // A file that grows over its limit is an error of that write.
  process.on('SIGXFSZ', () => undefined);
  // On one machine, gateways, workers and the embedded database answer before decoders compute. The parent sees to kernels that
  // share time among sessions first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  if (watchesParent) watchParent();
  const tasks = (await import(tasksUrl)) as TaskModule;
  await tasks.prepare?.();
  channel.on(
    'data',
    frameReader(
      (message) => void runTask(tasks, message as TaskMessage, models),
      (kind) => (kind === 'task' ? FRAME_LIMITS.task : undefined),
    ),
  );
  send({ type: 'ready' });
}

async function runTask({ TASKS }: TaskModule, { id, task, input }: TaskMessage, models: ModelSet): Promise<void> {
  const progress = throttledProgress(id);
  try {
    const load = Object.hasOwn(TASKS, task) ? TASKS[task] : undefined;
    if (!load) throw new Error(`There is no task ${task}.`);
    const run = await load();
    const output = await run(input, { onProgress: progress.tell, models });
    progress.end();
    send({ type: 'done', id, output });
  } catch (error) {
    progress.end();
    send({ type: 'failed', id, failure: toWire(error) });
  }
}

/** Lets a new step through at once, and steps of the same name ten times a second; after its end, nothing. */
function throttledProgress(id: string): { tell(progress: EnhancementProgress): void; end(): void } {
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

function send(message: ChildMessage): void {
  channel.write(encodeFrame(message));
}

/**
 * A decoder in an endless loop never returns to the event loop, so it would not notice the end of its parent.
 * A thread does: it detects that the process has another parent.
 */
function watchParent(): void {
  const code = `const parent = ${process.ppid};
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 1000);`;
  new Worker(code, { eval: true, execArgv: [], env: {}, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref();
}

void main(JSON.parse(process.argv[2]!) as ChildArguments);
