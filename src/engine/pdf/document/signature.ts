import { limitExceeded, PDF_LIMITS } from '../limits.ts';
import type { ObjectStore } from './pdf-document.ts';
import { isDict, isName, isRef, type PdfDict, type PdfValue } from '../syntax/objects.ts';

/**
 * Whether the document carries a digital signature that a change would break: a signature field with a value, or a
 * permission that rests on one (ISO 32000-1 sections 12.7.4.5 and 12.8.4). A field that still waits to be signed does not count.
 */
export function isSigned(store: ObjectStore): boolean {
  const root = store.resolve(store.xref().trailer.get('Root'));
  if (!isDict(root)) return false;
  const permissions = store.resolve(root.get('Perms'));
  if (isDict(permissions) && [...permissions.values()].some((value) => isDict(store.resolve(value)))) return true;
  const form = store.resolve(root.get('AcroForm'));
  return isDict(form) && hasSignedField(store, form);
}

function hasSignedField(store: ObjectStore, form: PdfDict): boolean {
  const fields = store.resolve(form.get('Fields'));
  const waiting: { value: PdfValue; type: PdfValue }[] = Array.isArray(fields)
    ? fields.map((value) => ({ value, type: null }))
    : [];
  const seen = new Set<number>();
  for (let field = waiting.pop(); field !== undefined; field = waiting.pop()) {
    if (isRef(field.value)) {
      if (seen.has(field.value.number)) continue;
      seen.add(field.value.number);
    }
    const dict = store.resolve(field.value);
    if (!isDict(dict)) continue;
    const type = dict.has('FT') ? store.resolve(dict.get('FT')) : field.type;
    if (isName(type) && type.value === 'Sig' && isDict(store.resolve(dict.get('V')))) return true;
    const kids = store.resolve(dict.get('Kids'));
    if (!Array.isArray(kids)) continue;
    if (waiting.length + kids.length > PDF_LIMITS.pageTreeNodes.max) throw limitExceeded('pageTreeNodes');
    for (const value of kids) waiting.push({ value, type });
  }
  return false;
}
