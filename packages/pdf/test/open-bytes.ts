import { createPdfDocument, type PdfDocument } from '@burnish/pdf';

/** Opens a PDF in memory. */
export const openBytes = (bytes: Buffer): PdfDocument =>
  createPdfDocument({
    size: bytes.length,
    read: (offset, length) => (offset < 0 ? Buffer.alloc(0) : bytes.subarray(offset, offset + Math.max(0, length))),
    readInto: (buffer, offset) => bytes.copy(buffer, 0, offset),
    close: () => undefined,
  });
