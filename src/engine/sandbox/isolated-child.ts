import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../domain/failures.ts';
import { emptyBoxes, handOver, type Boxes } from './handover.ts';
import { boxesIn } from './jail.ts';
import {
  startChild,
  failedChild,
  type ChildOptions,
  type ChildRunOptions,
  type SandboxChild,
} from './child-process.ts';
import type { TaskFiles } from './task-files.ts';

export interface IsolatedChildOptions extends Omit<ChildOptions, 'boxes' | 'folder'> {
  /** A folder that does not exist yet, for this child alone */
  folder: string;
  files: Partial<Record<string, TaskFiles>>;
}

/**
 * A child that sees the files of its task and no others: they are handed over before, and what it made is taken after. Never
 * throws: a machine that starts no process just now costs a task, which may be tried again, and not a place in the pool.
 */
export function createIsolatedChild(options: IsolatedChildOptions): SandboxChild {
  try {
    return startIsolatedChild(options);
  } catch (error) {
    return failedChild(error);
  }
}

function startIsolatedChild({ folder, files, ...options }: IsolatedChildOptions): SandboxChild {
  const boxes: Boxes = { ...boxesIn(folder), taken: join(folder, 'taken') };
  mkdirSync(boxes.taken, { mode: 0o700 });
  const child = startChild({ ...options, folder, boxes });

  async function run(task: string, input: unknown, options: ChildRunOptions): Promise<unknown> {
    try {
      const handed = await handOver({ ...(input as object) }, files[task] ?? {}, boxes).catch((cause: unknown) => {
        throw new Failure('INTERNAL', { cause });
      });
      try {
        const onProgress: ChildRunOptions['onProgress'] = (progress) => {
          // A failure shows itself again at the end, where somebody waits for it.
          handed.takeFilled().catch(() => undefined);
          options.onProgress?.(progress);
        };
        const output = await child.run(task, handed.input, { ...options, onProgress });
        await handed.take().catch((cause: unknown) => {
          throw cause instanceof Failure ? cause : new Failure('INTERNAL', { cause });
        });
        return output;
      } catch (error) {
        // What was whole when the work was ended is not lost with it.
        await handed.takeFilled().catch(() => undefined);
        throw error;
      }
    } finally {
      if (child.usable() && !(await emptyBoxes(boxes))) await child.kill();
    }
  }

  return {
    ...child,
    run,
    async kill() {
      await child.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
