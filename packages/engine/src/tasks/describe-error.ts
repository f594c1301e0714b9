import { EngineError, type EngineErrorCode } from '@burnish/contract/engine';
import { machineFault } from '../machine-fault.ts';

/** Codes with which a task may fail. The caller of a task checks its parameters before. */
export const TASK_ERROR_CODES = [
  'CORRUPT_FILE',
  'ENCRYPTED_PDF',
  'INTERNAL',
  'NOT_ARCHIVABLE',
  'NOT_FOUND',
  'PROCESSING_LIMIT',
  'RESULT_TOO_LARGE',
  'SIGNED_PDF',
  'TOO_MANY_PIXELS',
  'UNAVAILABLE',
  'UNSUPPORTED_MEDIA_TYPE',
  'WRONG_PASSWORD',
] as const satisfies Exclude<EngineErrorCode, 'BAD_USER_INPUT'>[];

/** Maximum length in characters of a sentence for callers. */
export const MAX_DETAIL_LENGTH = 2_000;

/** What a child says of an error, as JSON. */
export interface DescribedError {
  code: (typeof TASK_ERROR_CODES)[number];
  detail?: string | undefined;
  field?: string | undefined;
}

/** Describes an error of the engine or of the machine. Anything else is unexpected, and so is an error with a code that no task has. */
export function describeError(error: unknown): DescribedError | undefined {
  const known = error instanceof EngineError ? error : machineFault(error);
  if (known === undefined) return undefined;
  const { detail, field } = known;
  const code = TASK_ERROR_CODES.find((each) => each === known.code);
  return code && { code, detail: detail?.slice(0, MAX_DETAIL_LENGTH), field };
}
