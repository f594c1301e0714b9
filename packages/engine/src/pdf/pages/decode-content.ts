import { PDF_LIMITS, UnknownFilter, type PdfDocument, type PdfStream } from '@burnish/pdf';

/** Joins content streams (ISO 32000-1 section 7.8.2); an unreadable one counts as empty. */
export function decodeContent(pdf: PdfDocument, streams: PdfStream[]): Buffer {
  const parts: Buffer[] = [];
  let size = 0;
  for (const stream of streams) {
    try {
      const { data } = pdf.decode(stream, 'contentBytes', PDF_LIMITS.contentBytes.max - size);
      size += data.length + 1;
      parts.push(data, Buffer.from('\n'));
    } catch (error) {
      if (!(error instanceof UnknownFilter)) throw error;
    }
  }
  return Buffer.concat(parts);
}
