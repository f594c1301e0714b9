import { JailError } from '../jail-error.ts';
import { MAX_CAUSE_LENGTH, MAX_ID_LENGTH } from '../limits.ts';

/** The configuration of a child at its start, as JSON. */
export interface ChildArguments {
  tasks: string;
  settings: object;
  /** Whether it must exit when its parent has ended */
  watchesParent: boolean;
}

export interface TaskMessage {
  /** Random; every message about the task repeats it, so that a late one is no message about the next task */
  id: string;
  task: string;
  input: unknown;
}

/** What a child writes. */
export type SentMessage =
  | { type: 'ready' }
  | { type: 'progress'; id: string; progress: unknown }
  | { type: 'done'; id: string; output: unknown }
  | { type: 'failed'; id: string; failure?: unknown; cause?: string | undefined };

/** What the parent has read and checked, apart from the output of a task. */
export type ChildMessage<P = Progress> =
  | { type: 'ready' }
  | { type: 'progress'; id: string; progress: P }
  | { type: 'done'; id: string; output: unknown }
  | { type: 'failed'; id: string; error: Error };

export interface Progress {
  /** Name of the running step */
  step: string;
  /** 0.0 to 1.0 over the whole task */
  fraction: number;
}

/** How the parent reads what a child says of its task. Each function throws for anything that the tasks do not send. */
export interface MessageReaders<P> {
  progress(value: unknown): P;
  /**
   * Restores an error from the data of `describeError` in the module of the tasks.
   * @param cause for logs
   */
  failure(value: unknown, cause: Error | undefined): Error;
}

export const DEFAULT_READERS: MessageReaders<Progress> = {
  progress(value) {
    const { step, fraction } = membersOf(value);
    if (typeof step !== 'string' || step.length > 100) throw new TypeError('The progress has no step.');
    return { step, fraction: Math.min(1, Math.max(0, Number(fraction) || 0)) };
  },
  failure() {
    throw new TypeError('No task describes its errors.');
  },
};

/**
 * Checks a value from a child. The output of a task stays unchecked.
 * @throws Error for anything that the code of a child does not send
 */
export function readChildMessage<P>(value: unknown, readers: MessageReaders<P>): ChildMessage<P> {
  const { type, id, progress, output, failure, cause } = membersOf(value);
  if (type === 'ready') return { type };
  if (typeof id !== 'string' || id.length > MAX_ID_LENGTH) throw new TypeError('A message has no id.');
  switch (type) {
    case 'progress':
      return { type, id, progress: readers.progress(progress) };
    case 'done':
      return { type, id, output };
    case 'failed':
      return { type, id, error: readFailure(failure, readCause(cause), readers) };
    default:
      throw new TypeError('A message has an unknown type.');
  }
}

function readFailure(failure: unknown, cause: Error | undefined, readers: MessageReaders<unknown>): Error {
  if (failure !== undefined) return readers.failure(failure, cause);
  return new JailError('TASK_FAILED', { cause });
}

function readCause(cause: unknown): Error | undefined {
  if (cause === undefined) return undefined;
  if (typeof cause !== 'string' || cause.length > MAX_CAUSE_LENGTH) throw new TypeError('A cause is not a text.');
  return new Error(cause);
}

function membersOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError('A message is no object.');
  return value as Record<string, unknown>;
}

/**
 * The message about a failed task.
 * @param failure what the parent may know of the error; undefined for an unexpected one
 */
export function failedMessage(id: string, error: unknown, failure: unknown): SentMessage {
  const hidden = failure === undefined || !(error instanceof Error) ? error : error.cause;
  const cause = hidden instanceof Error ? (hidden.stack ?? hidden.message).slice(0, MAX_CAUSE_LENGTH) : undefined;
  return { type: 'failed', id, failure, cause };
}
