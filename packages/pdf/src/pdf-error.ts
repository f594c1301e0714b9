import { PDF_LIMITS, type PdfLimit } from './limits.ts';

/** Why a PDF cannot be read. */
export type PdfErrorCode =
  'CORRUPT_FILE' | 'PASSWORD_REQUIRED' | 'WRONG_PASSWORD' | 'UNSUPPORTED_ENCRYPTION' | 'LIMIT_EXCEEDED';

/** A fault of the file. Its message is a plain sentence without contents of the file. */
export class PdfError extends Error {
  override readonly name = 'PdfError';
  readonly code: PdfErrorCode;
  /** With LIMIT_EXCEEDED: the limit */
  readonly limit: PdfLimit | undefined;

  constructor(code: PdfErrorCode, message: string, limit?: PdfLimit) {
    super(message);
    this.code = code;
    this.limit = limit;
  }
}

export function limitExceeded(limit: PdfLimit): PdfError {
  const { max, what } = PDF_LIMITS[limit];
  return new PdfError('LIMIT_EXCEEDED', `The PDF has more than ${max.toLocaleString('en')} ${what}.`, limit);
}

/** @throws PdfError LIMIT_EXCEEDED when `value` exceeds the limit */
export function assertWithin(limit: PdfLimit, value: number): void {
  if (value > PDF_LIMITS[limit].max) throw limitExceeded(limit);
}
