import { Worker } from 'node:worker_threads';
import type { EnhancementProgress } from '../../domain/enhancement/enhancement.ts';
import type { ModelSet } from '../neural/model-set.ts';
import { toWire } from './messages.ts';
import type { ChildArguments, ChildMessage, TaskMessage } from './messages.ts';
import type { TaskRunner } from '../tasks.ts';

/** Progress more often than this, in milliseconds, is dropped. */
const PROGRESS_INTERVAL_MS = 100;

interface TaskModule {
  TASKS: Record<string, () => Promise<TaskRunner<unknown, unknown>>>;
  prepare?: () => Promise<void>;
}

/** The entry of a child: waits for tasks on the IPC channel, one at a time, and dies with its parent. */
async function main({ tasksUrl, models, watchesParent }: ChildArguments): Promise<void> {
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches the whole process group; the parent decides when to stop.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  // A file that grows over its limit is an error of that write.
  process.on('SIGXFSZ', () => undefined);
  if (watchesParent) watchParent();
  const tasks = (await import(tasksUrl)) as TaskModule;
  await tasks.prepare?.();
  process.on('message', (message: TaskMessage) => void runTask(tasks, message, models));
  send({ type: 'ready' });
}

async function runTask({ TASKS }: TaskModule, { task, input }: TaskMessage, models: ModelSet): Promise<void> {
  try {
    const load = Object.hasOwn(TASKS, task) ? TASKS[task] : undefined;
    if (!load) throw new Error(`There is no task ${task}.`);
    const run = await load();
    send({ type: 'done', output: await run(input, { onProgress: throttledProgress(), models }) });
  } catch (error) {
    send({ type: 'failed', failure: toWire(error) });
  }
}

/** Lets a new step through at once, and steps of the same name ten times a second. */
function throttledProgress(): (progress: EnhancementProgress) => void {
  let last = { step: '', at: 0 };
  return (progress) => {
    const now = performance.now();
    if (progress.step === last.step && now - last.at < PROGRESS_INTERVAL_MS) return;
    last = { step: progress.step, at: now };
    send({ type: 'progress', progress });
  };
}

function send(message: ChildMessage): void {
  if (process.connected) process.send?.(message);
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

await main(JSON.parse(process.argv[2]!) as ChildArguments);
