import { PDF_LIMITS } from '../limits.ts';
import { limitExceeded } from '../pdf-error.ts';
import type { PdfDocument } from './pdf-document.ts';
import { isDict, isName, isRef, isStream, type PdfDict, type PdfValue } from '../syntax/objects.ts';

/**
 * Returns whether the document has a digital signature that a change would break. That is a signature field with a
 * value, or a permission based on a signature (ISO 32000-1 sections 12.7.4.5 and 12.8.4). An unsigned signature field
 * does not count.
 */
export function isSigned(pdf: PdfDocument): boolean {
  const root = pdf.resolve(pdf.xref().trailer.get('Root'));
  if (!isDict(root)) return false;
  const permissions = pdf.resolve(root.get('Perms'));
  if (isDict(permissions) && [...permissions.values()].some((value) => isDict(pdf.resolve(value)))) return true;
  const form = pdf.resolve(root.get('AcroForm'));
  return isDict(form) && hasSignedField(pdf, form);
}

function hasSignedField(pdf: PdfDocument, form: PdfDict): boolean {
  const fields = pdf.resolve(form.get('Fields'));
  const waiting: { value: PdfValue; type: PdfValue }[] = Array.isArray(fields)
    ? fields.map((value) => ({ value, type: null }))
    : [];
  const seen = new Set<number>();
  for (let field = waiting.pop(); field !== undefined; field = waiting.pop()) {
    if (isRef(field.value)) {
      if (seen.has(field.value.number)) continue;
      seen.add(field.value.number);
    }
    const dict = pdf.resolve(field.value);
    if (!isDict(dict)) continue;
    const type = dict.has('FT') ? pdf.resolve(dict.get('FT')) : field.type;
    if (isName(type) && type.value === 'Sig' && isDict(pdf.resolve(dict.get('V')))) return true;
    const kids = pdf.resolve(dict.get('Kids'));
    if (!Array.isArray(kids)) continue;
    if (waiting.length + kids.length > PDF_LIMITS.pageTreeNodes.max) throw limitExceeded('pageTreeNodes');
    for (const value of kids) waiting.push({ value, type });
  }
  return false;
}

/** Metadata of a document has some kB; larger metadata is not searched. */
const MAX_METADATA_BYTES = 4_000_000;

/**
 * Returns whether a document claims conformance to PDF/A (ISO 19005). PDF/A-1 forbids transparency, and the later parts
 * restrict pages that use it. Opaque content must therefore stay opaque.
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
