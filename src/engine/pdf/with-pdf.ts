import { Failure, type FailureCode } from '../../domain/failures.ts';
import { openPdfDocument, PdfError, type PdfDocument, type PdfErrorCode } from '@burnish/pdf';

/** The failure for each fault that the reader finds in a file. */
const FAILURE_OF = {
  CORRUPT_FILE: 'CORRUPT_FILE',
  PASSWORD_REQUIRED: 'ENCRYPTED_PDF',
  UNSUPPORTED_ENCRYPTION: 'ENCRYPTED_PDF',
  WRONG_PASSWORD: 'WRONG_PASSWORD',
  LIMIT_EXCEEDED: 'PROCESSING_LIMIT',
} as const satisfies Record<PdfErrorCode, FailureCode>;

/**
 * Opens a PDF for a piece of work, and closes it afterwards. A fault that the reader finds at any time becomes a failure
 * here, and nowhere else.
 * @throws Failure CORRUPT_FILE, ENCRYPTED_PDF, WRONG_PASSWORD, PROCESSING_LIMIT; what `use` throws
 */
export async function withPdf<T>(
  { inputPath, password }: { inputPath: string; password?: string | undefined },
  use: (pdf: PdfDocument) => T | Promise<T>,
): Promise<T> {
  try {
    const pdf = openPdfDocument(inputPath, password);
    try {
      return await use(pdf);
    } finally {
      pdf.close();
    }
  } catch (error) {
    if (!(error instanceof PdfError)) throw error;
    throw new Failure(FAILURE_OF[error.code], { detail: error.message, cause: error });
  }
}
