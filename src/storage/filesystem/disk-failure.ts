import { Failure } from '../../domain/failures.ts';

const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** The code of a system error, such as `ENOENT`; undefined for any other value. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Turns the error of a full disk into a sentence for the reader; leaves every other error as it is. */
export function diskFailure(error: unknown): unknown {
  const code = systemErrorCode(error);
  return code !== undefined && FULL.has(code)
    ? new Failure('UNAVAILABLE', { detail: 'The disk is full.', machinery: 'disk', cause: error })
    : error;
}
