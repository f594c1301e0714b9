import type { PdfDocument } from './pdf-document.ts';
import { isDict, isStream } from '../syntax/objects.ts';

/** A description of a document is some kB; more is not looked through. */
const MAX_METADATA_BYTES = 4_000_000;

/**
 * Whether a document says that it is PDF/A (ISO 19005), which forbids transparency in its first part and asks more of pages that have
 * some in the others: what was opaque must not become transparent.
 */
export function isPdfA(pdf: PdfDocument): boolean {
  const root = pdf.resolve(pdf.xref().trailer.get('Root'));
  const metadata = isDict(root) ? pdf.resolve(root.get('Metadata')) : null;
  if (!isStream(metadata)) return false;
  try {
    return pdf.decode(metadata, 'objectStreamBytes', MAX_METADATA_BYTES).data.includes('pdfaid');
  } catch {
    return false;
  }
}
