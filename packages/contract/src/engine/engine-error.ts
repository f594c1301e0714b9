interface ErrorKind {
  sentence: string;
  /** The same work may succeed later: no parameter and no file is at fault */
  retryable?: boolean;
}

/** Codes of the errors of the engine. */
const ENGINE_ERRORS = {
  BAD_USER_INPUT: { sentence: 'A parameter is not valid.' },
  CORRUPT_FILE: { sentence: 'The file is damaged and cannot be read.' },
  ENCRYPTED_PDF: { sentence: 'The PDF needs a password.' },
  INTERNAL: { sentence: 'An internal error occurred.' },
  NOT_ARCHIVABLE: { sentence: 'The PDF cannot become PDF/A-2b.' },
  NOT_FOUND: { sentence: 'The file has no such part.' },
  PROCESSING_LIMIT: { sentence: 'The file needs more work than the limit.' },
  RESULT_TOO_LARGE: { sentence: 'The result is larger than maxBytes allows.' },
  SIGNED_PDF: { sentence: 'The PDF is signed, and a change would break its signature.' },
  TOO_MANY_PIXELS: { sentence: 'The image has more pixels than the limit.' },
  UNAVAILABLE: { sentence: 'The disk cannot be written.', retryable: true },
  UNSUPPORTED_MEDIA_TYPE: { sentence: 'The type of the file is not supported.' },
  WRONG_PASSWORD: { sentence: 'The password does not open the PDF.' },
} as const satisfies Record<string, ErrorKind>;

export type EngineErrorCode = keyof typeof ENGINE_ERRORS;

export interface EngineErrorOptions {
  /** Specific message for this case. Defaults to the code's own sentence. */
  detail?: string;
  /** Name of the parameter that is wrong, such as `parameters.mode` */
  field?: string;
  /** What the parameter accepts, where that is a list of values or names */
  allowed?: readonly string[];
  cause?: unknown;
}

/** An error of the engine. Its message contains no path, stack or text of a library: these are in its cause. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;
  /** Undefined for an error with its code's own sentence */
  readonly detail: string | undefined;
  readonly field: string | undefined;
  readonly allowed: readonly string[] | undefined;
  /** Whether the same call may succeed later. False for a fault of the caller or of the file. */
  readonly retryable: boolean;

  constructor(code: EngineErrorCode, { detail, field, allowed, cause }: EngineErrorOptions = {}) {
    const { sentence, retryable = false }: ErrorKind = ENGINE_ERRORS[code];
    super(detail ?? sentence, cause === undefined ? {} : { cause });
    this.code = code;
    this.detail = detail;
    this.field = field;
    this.allowed = allowed;
    this.retryable = retryable;
  }
}
