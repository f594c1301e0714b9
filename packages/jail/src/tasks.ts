import type { FrameLimits } from './channel/frames.ts';
import type { Progress } from './channel/messages.ts';

/** Context of a task besides its input: the settings of the pool, and its progress. */
export interface TaskContext {
  /** Reports the progress of the task to the parent. Frequent calls are allowed; the child drops most of them. */
  onProgress: (progress: Progress) => void;
}

/** What a module with the tasks of a pool exports. Inputs and outputs are JSON; bytes are passed as local paths. */
export interface TaskModule {
  /** Tasks by name. Each entry loads its code in the child at first use. */
  TASKS: Record<string, () => Promise<(input: unknown, context: TaskContext) => unknown>>;
  /** Loads the code that most tasks need, so that the first one does not wait for it */
  prepare?: () => Promise<void>;
  /** What the parent may know of an error, as JSON; undefined for an unexpected one, which becomes TASK_FAILED */
  describeError?: (error: unknown) => unknown;
}

/** The members of a task's input that are paths of files. Any other file is out of its reach. */
export interface TaskFiles<Field extends string = string> {
  reads?: readonly Field[];
  writes?: readonly Field[];
  readsFolder?: Field;
  /** A folder for output files that are named by numbers; a file with its final name is complete */
  fillsFolder?: Field;
  /** The numbers of those files. Others stay with the child. */
  fillsNumbers?: Field;
}

/** What the parent knows about the result of a task before it believes it. */
export interface ResultCheck {
  /** Bounds of its frame; by default those of a result without a long list */
  limits?: FrameLimits | undefined;
  /**
   * Checks the output, and the files that the parent has taken from the child.
   * @returns the output without unknown members
   * @throws Error for a result that the code of the task cannot have
   */
  check(input: unknown, output: unknown): Promise<unknown>;
}
