import { EngineError, type EngineErrorCode } from '@burnish/contract/engine';
import { openPdfDocument, PdfError, type PdfDocument, type PdfErrorCode } from '@burnish/pdf';

/** The code for each fault that the reader finds in a file. */
const CODE_OF = {
  CORRUPT_FILE: 'CORRUPT_FILE',
  PASSWORD_REQUIRED: 'ENCRYPTED_PDF',
  UNSUPPORTED_ENCRYPTION: 'ENCRYPTED_PDF',
  WRONG_PASSWORD: 'WRONG_PASSWORD',
  LIMIT_EXCEEDED: 'PROCESSING_LIMIT',
} as const satisfies Record<PdfErrorCode, EngineErrorCode>;

/**
 * Opens a PDF for a piece of work, and closes it afterwards. A fault that the reader finds at any time becomes an error of the
 * engine here, and nowhere else.
 * @throws EngineError CORRUPT_FILE, ENCRYPTED_PDF, WRONG_PASSWORD, PROCESSING_LIMIT; what `use` throws
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
    throw new EngineError(CODE_OF[error.code], { detail: error.message, cause: error });
  }
}
