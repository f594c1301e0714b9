import type { EnhancementProgress } from '../contract/progress.ts';
import { asFailure } from '../../domain/engine-failure.ts';
import { Failure } from '../../domain/failures.ts';
import type { FailureCode } from '../../domain/failures.ts';
import type { ModelSet } from '../neural/model-set.ts';

/** The configuration of a child at its start, as JSON. */
export interface ChildArguments {
  tasksUrl: string;
  models: ModelSet;
  /** Whether it must exit when its parent has ended */
  watchesParent: boolean;
}

export interface TaskMessage {
  /** Random; every message about the task repeats it, so that a late one is no message about the next file */
  id: string;
  task: string;
  input: unknown;
}

/** Codes with which a task may fail. Only these say something about a file. */
export const TASK_FAILURE_CODES = [
  'CORRUPT_FILE',
  'ENCRYPTED_PDF',
  'FILE_TOO_LARGE',
  'FILE_TOO_SMALL',
  'INTERNAL',
  'NOT_FOUND',
  'PROCESSING_LIMIT',
  'SIGNED_PDF',
  'TOO_MANY_PIXELS',
  'UNAVAILABLE',
  'UNSUPPORTED_MEDIA_TYPE',
  'WRONG_PASSWORD',
] as const satisfies FailureCode[];

/** Maximum length in characters of a sentence for callers, and of a cause for logs. */
export const MAX_DETAIL_LENGTH = 2_000;
export const MAX_CAUSE_LENGTH = 8_000;

export type ChildMessage =
  | { type: 'ready' }
  | { type: 'progress'; id: string; progress: EnhancementProgress }
  | { type: 'done'; id: string; output: unknown }
  | { type: 'failed'; id: string; failure: WireFailure };

export interface WireFailure {
  code: (typeof TASK_FAILURE_CODES)[number];
  detail?: string | undefined;
  field?: string | undefined;
  /** With UNAVAILABLE, and only then */
  machinery?: 'disk' | undefined;
  /** For logs in the parent; never shown to a caller */
  cause?: string | undefined;
}

/**
 * Converts any error to data: a Failure or an error of the engine keeps its code and message. Anything else becomes INTERNAL without public details, and so
 * does a failure with a code that no task has.
 */
export function toWire(thrown: unknown): WireFailure {
  const error = asFailure(thrown);
  const failure = error instanceof Failure ? error : undefined;
  const code = TASK_FAILURE_CODES.find((each) => each === failure?.code);
  const known = code === undefined || (code === 'UNAVAILABLE' && failure?.machinery !== 'disk') ? undefined : failure;
  const hidden = known ? known.cause : error;
  const cause = hidden instanceof Error ? (hidden.stack ?? hidden.message).slice(0, MAX_CAUSE_LENGTH) : undefined;
  if (known === undefined) return { code: 'INTERNAL', cause };
  const { message, field, machinery } = known;
  return {
    code: code!,
    detail: message.slice(0, MAX_DETAIL_LENGTH),
    field,
    ...(machinery === 'disk' && { machinery }),
    cause,
  };
}
