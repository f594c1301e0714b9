import type { PdfDocument } from '../document/pdf-document.ts';
import { isDict, isString, type PdfValue } from '../syntax/objects.ts';

/**
 * Returns a value with its strings as its object stores them. In an encrypted file, the key of a string depends on its object
 * (ISO 32000-1 section 7.6.2): a string of another object, or a new one, gets the key of this one.
 */
export function storedStrings(
  pdf: PdfDocument,
  value: PdfValue,
  object: { number: number; generation: number },
): PdfValue {
  const { encryption } = pdf;
  if (encryption === undefined) return value;
  const stored = (part: PdfValue): PdfValue => {
    if (Array.isArray(part)) return part.map(stored);
    if (isDict(part)) return new Map([...part].map(([key, item]) => [key, stored(item)]));
    if (!isString(part)) return part;
    const owner = pdf.findOwner(part);
    if (owner?.number === object.number && owner.generation === object.generation) return part;
    return { ...part, bytes: encryption.encryptString(pdf.stringBytes(part), object.number, object.generation) };
  };
  return stored(value);
}
