import { isName, isRef, type PdfRef, type PdfValue } from '@burnish/pdf';

/** A place in the document that a link or a bookmark leads to (ISO 32000-1 section 12.3.2.2). */
export interface Destination {
  page: PdfRef;
  /** How the page is shown, such as `XYZ` */
  fit: string;
  /** The numbers of `fit`, in the user space of the page; null keeps the present one */
  place: readonly PdfValue[];
}

/** Returns the destination that an array is; undefined for any other value. */
export function readDestination(value: PdfValue): Destination | undefined {
  if (!Array.isArray(value)) return undefined;
  const [page, fit, ...place] = value;
  return isRef(page) && isName(fit) ? { page, fit: fit.value, place } : undefined;
}
