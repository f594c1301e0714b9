import { randomUUID } from 'node:crypto';
import { EngineError } from '@burnish/contract';
import type { TaskContext } from '../../../packages/engine/src/tasks.ts';

export { describeError } from '../../../packages/engine/src/tasks/describe-error.ts';

type Run = (input: Record<string, unknown>, context: TaskContext) => Promise<unknown>;

/** Identifies this process, because process ids are equal in every sandbox. */
const child = randomUUID();

/** Keeps allocated memory reachable. */
const held: Buffer[] = [];

/** Tasks with the faults that a bad file can cause in a decoder, for the sandbox's own tests. */
export const TASKS: Record<string, () => Promise<Run>> = {
  echo: async () => async (input) => ({ ...input, child }),
  environment: async () => async () => ({ names: Object.keys(process.env), execArgv: process.execArgv }),
  progress:
    async () =>
    async (_, { onProgress }) => {
      for (let i = 0; i < 1000; i += 1) onProgress({ step: 'first', fraction: i / 2000 });
      onProgress({ step: 'second', fraction: 0.5 });
      return {};
    },
  pause: async () => async () => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return { rested: true };
  },
  loop: async () => async () => {
    for (;;) Math.random();
  },
  loopAfterTelling:
    async () =>
    async (_, { onProgress }) => {
      onProgress({ step: 'looping', fraction: 0 });
      await new Promise((resolve) => setTimeout(resolve, 100));
      for (;;) Math.random();
    },
  workAfterTelling:
    async () =>
    async (_, { onProgress }) => {
      onProgress({ step: 'working', fraction: 0 });
      for (const end = performance.now() + 300; performance.now() < end;) Math.random();
      return { worked: true };
    },
  hog: async () => async () => {
    for (;;) {
      held.push(Buffer.alloc(8_000_000, 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
  heap: async () => async () => {
    const list: unknown[] = [];
    for (;;) list.push(Array.from({ length: 1000 }, (_, i) => ({ i })));
  },
  crash: async () => async () => {
    process.kill(process.pid, 'SIGSEGV');
    return new Promise(() => undefined);
  },
  crashAfterPause: async () => async () => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    process.kill(process.pid, 'SIGSEGV');
    return new Promise(() => undefined);
  },
  exit: async () => async () => process.exit(0),
  fail: async () => async () => {
    throw new EngineError('TOO_MANY_PIXELS', { detail: 'Far too many.', field: 'pixels', cause: new Error('hidden') });
  },
  bug: async () => async () => {
    throw new TypeError('cannot read /secret/path');
  },
};
