import { isDict, isName, isRef, type PdfDict, type PdfDocument, type PdfRef, type PdfValue } from '@burnish/pdf';
import { numbers } from '../pages/page-draws.ts';
import { isOnFirst, type PageCut } from './page-cut.ts';

/** The annotations of the two sides of a page, and those that are objects of their own on the second. */
interface DividedAnnotations {
  first: PdfValue[];
  second: PdfValue[];
  moved: PdfRef[];
}

/**
 * Divides the annotations of a page by the centres of their rectangles. A pop-up window stays with its annotation.
 * @param second the new page, which the annotations of its side then name as theirs
 * @param values changed objects, which get the changed annotations
 */
export function divideAnnotations(
  pdf: PdfDocument,
  page: PdfDict,
  { cut, second }: { cut: PageCut; second: PdfRef },
  values: Map<number, PdfValue>,
): DividedAnnotations | undefined {
  const items = pdf.resolve(page.get('Annots'));
  if (!Array.isArray(items)) return undefined;
  const read = (item: PdfValue): PdfValue => (isRef(item) ? (values.get(item.number) ?? pdf.resolve(item)) : item);
  const hasFirst = (item: PdfValue): boolean => {
    const annotation = read(item);
    const rect = isDict(annotation) ? numbers(pdf, annotation.get('Rect')) : [];
    const [x0, y0, x1, y1] = rect as [number, number, number, number];
    return rect.length !== 4 || isOnFirst(cut, [(x0 + x1) / 2, (y0 + y1) / 2]);
  };
  const divided: DividedAnnotations = { first: [], second: [], moved: [] };
  for (const item of items) {
    const annotation = read(item);
    const parent = isDict(annotation) && isPopup(pdf, annotation) ? annotation.get('Parent') : undefined;
    if (hasFirst(parent ?? item) || !isDict(annotation)) {
      divided.first.push(item);
      continue;
    }
    const own = annotation.has('P') ? new Map(annotation).set('P', second) : annotation;
    divided.second.push(isRef(item) ? item : own);
    if (!isRef(item)) continue;
    divided.moved.push(item);
    if (own !== annotation) values.set(item.number, own);
  }
  return divided;
}

function isPopup(pdf: PdfDocument, annotation: PdfDict): boolean {
  const subtype = pdf.resolve(annotation.get('Subtype'));
  return isName(subtype) && subtype.value === 'Popup';
}
