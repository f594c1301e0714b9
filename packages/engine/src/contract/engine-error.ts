/** Codes of the errors of the engine, each with its sentence. */
const ENGINE_ERRORS = {
  BAD_USER_INPUT: 'A parameter is not valid.',
  CORRUPT_FILE: 'The file is damaged and cannot be read.',
  ENCRYPTED_PDF: 'The PDF needs a password.',
  INTERNAL: 'An internal error occurred.',
  NOT_FOUND: 'The file has no such part.',
  PROCESSING_LIMIT: 'The file needs more work than the limit.',
  SIGNED_PDF: 'The PDF is signed, and a change would break its signature.',
  TOO_MANY_PIXELS: 'The image has more pixels than the limit.',
  UNAVAILABLE: 'The disk cannot be written.',
  UNSUPPORTED_MEDIA_TYPE: 'The type of the file is not supported.',
  WRONG_PASSWORD: 'The password does not open the PDF.',
} as const satisfies Record<string, string>;

export type EngineErrorCode = keyof typeof ENGINE_ERRORS;

export interface EngineErrorOptions {
  /** Specific message for this case. Defaults to the code's own sentence. */
  detail?: string;
  /** Name of the parameter that is wrong */
  field?: string;
  cause?: unknown;
}

/** An error of the engine. Its message contains no path, stack or text of a library: these are in its cause. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;
  /** Undefined for an error with its code's own sentence */
  readonly detail: string | undefined;
  readonly field: string | undefined;

  constructor(code: EngineErrorCode, { detail, field, cause }: EngineErrorOptions = {}) {
    super(detail ?? ENGINE_ERRORS[code], cause === undefined ? {} : { cause });
    this.code = code;
    this.detail = detail;
    this.field = field;
  }
}
