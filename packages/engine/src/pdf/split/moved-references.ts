import { isDict, isName, isRef, name, type PdfDict, type PdfRef, type PdfValue } from '@burnish/pdf';
import { readDestination, type Destination } from '../pages/destinations.ts';
import { mapValue } from '../pages/map-value.ts';
import { isOnFirst, type PageCut } from './page-cut.ts';

/** What references to split pages and their annotations become. */
export interface Moves {
  /** The cut of a page and its second side, by the object number of the page */
  pages: ReadonlyMap<number, { cut: PageCut; second: PdfRef }>;
  /** The page of each annotation on a second side, by the object number of the annotation */
  annotations: ReadonlyMap<number, PdfRef>;
}

/**
 * Returns a value whose destinations lead to the side of their point, and whose elements of structure name the page of
 * their annotation; or the value itself without any.
 */
export const moveReferences = (value: PdfValue, moves: Moves): PdfValue =>
  mapValue(value, (part) => moveDestination(part, moves) ?? movePart(part, moves));

function moveDestination(value: PdfValue, { pages }: Moves): PdfValue | undefined {
  const destination = readDestination(value);
  const page = destination && pages.get(destination.page.number);
  const point = page && pointOf(destination);
  const coordinate = point?.[page!.cut.axis];
  if (page === undefined || typeof coordinate !== 'number' || isOnFirst(page.cut, point as number[])) return undefined;
  return [page.second, name(destination!.fit), ...destination!.place];
}

/** Returns the point of a destination; a coordinate that it leaves open is no number. */
function pointOf({ fit, place }: Destination): readonly (PdfValue | undefined)[] {
  const [one, two, three, four] = place;
  if (fit === 'XYZ') return [one, two];
  if (fit === 'FitV' || fit === 'FitBV') return [one, null];
  if (fit === 'FitH' || fit === 'FitBH') return [null, one];
  if (fit !== 'FitR') return [];
  return [one, two].map((low, k) => {
    const high = [three, four][k];
    return typeof low === 'number' && typeof high === 'number' ? (low + high) / 2 : null;
  });
}

/** Returns a reference of the structure to an annotation (ISO 32000-1 table 325) that names its new page. */
function movePart(value: PdfValue, { annotations }: Moves): PdfDict | undefined {
  if (!isDict(value)) return undefined;
  const [type, object] = [value.get('Type'), value.get('Obj')];
  const page = isName(type) && type.value === 'OBJR' && isRef(object) ? annotations.get(object.number) : undefined;
  return page && new Map(value).set('Pg', page);
}
