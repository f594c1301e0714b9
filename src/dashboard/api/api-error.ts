import type { FailureCode } from '../../domain/failures.ts';

/** A refusal of the gateway, or that none was reached. Its message is a sentence for the person at the page. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0 without an answer */
  readonly status: number;
  readonly code: FailureCode | 'UNREACHABLE';
  /** Path of the field that is wrong, where one is */
  readonly field: string | undefined;

  constructor(problem: { status: number; code: ApiError['code']; detail: string; field?: string | undefined }) {
    super(problem.detail);
    this.status = problem.status;
    this.code = problem.code;
    this.field = problem.field;
  }
}

/** Any error as a sentence that a person can be shown. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return error instanceof Error
    ? `The page has an error. Reload it. (${error.message})`
    : 'The page has an error. Reload it.';
}
