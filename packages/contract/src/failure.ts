import { FAILURES, type FailureCode } from './failures.ts';
import type { Machinery } from './machinery.ts';

export interface FailureOptions {
  /** Specific message for this case, safe to show to the caller. Defaults to the code's own sentence. */
  detail?: string;
  /** Path of the invalid input field, such as `enhancements[0].mode`. */
  field?: string;
  /** Whether a retry can help in this case. Defaults to the value for the code. */
  retryable?: boolean;
  /** Seconds after which a retry can help. An INTERNAL failure with this value is transient, and has HTTP status 503. */
  retryAfterSeconds?: number;
  /** With UNAVAILABLE: the unavailable part of the machinery. */
  machinery?: Machinery;
  /** Cause for logs inside the process; never leaves the process. */
  cause?: unknown;
}

/** An error with a code of this table. Its message is public, and contains no stack, path, secret or SQL. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly retryable: boolean;
  readonly machinery: Machinery | undefined;

  constructor(code: FailureCode, options: FailureOptions = {}) {
    super(options.detail ?? FAILURES[code].sentence, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.field = options.field;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.retryable = options.retryable ?? FAILURES[code].retryable;
    this.machinery = options.machinery;
  }
}
