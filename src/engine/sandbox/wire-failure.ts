import { asFailure } from '../../domain/engine-failure.ts';
import { Failure } from '../../domain/failures.ts';
import type { FailureCode } from '../../domain/failures.ts';

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

/** Maximum length in characters of a sentence for callers. */
export const MAX_DETAIL_LENGTH = 2_000;

/** What a child says of a failure. */
export interface WireFailure {
  code: (typeof TASK_FAILURE_CODES)[number];
  detail?: string | undefined;
  field?: string | undefined;
  /** With UNAVAILABLE, and only then */
  machinery?: 'disk' | undefined;
}

/** Describes a Failure, or an error of the engine, by its code and message. Anything else is unexpected, and so is a failure with a code that no task has. */
export function describeError(thrown: unknown): WireFailure | undefined {
  const error = asFailure(thrown);
  if (!(error instanceof Failure)) return undefined;
  const code = TASK_FAILURE_CODES.find((each) => each === error.code);
  const { message, field, machinery } = error;
  if (code === undefined || (code === 'UNAVAILABLE' && machinery !== 'disk')) return undefined;
  return { code, detail: message.slice(0, MAX_DETAIL_LENGTH), field, ...(machinery === 'disk' && { machinery }) };
}
