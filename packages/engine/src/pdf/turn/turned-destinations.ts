import { mapPoint, type Matrix } from '../pages/matrix.ts';
import { isDict, isName, isRef, type PdfValue } from '@burnish/pdf';
import { moveRectangle } from './turned-annotation.ts';

/**
 * Returns a value with its destinations on turned pages moved (ISO 32000-1 section 12.3.2.2), or the value itself
 * without any. Destinations without a point stay.
 * @param turns by the object number of the page
 */
export function turnDestinations(value: PdfValue, turns: ReadonlyMap<number, Matrix>): PdfValue {
  if (Array.isArray(value)) {
    const [page, fit, ...place] = value;
    const turn = isRef(page) ? turns.get(page.number) : undefined;
    if (turn !== undefined && isName(fit)) return movePlace(value, fit.value, place, turn);
    const items = value.map((item) => turnDestinations(item, turns));
    return items.some((item, k) => item !== value[k]) ? items : value;
  }
  if (!isDict(value)) return value;
  let isSame = true;
  const entries = [...value].map(([key, item]) => {
    const turned = turnDestinations(item, turns);
    isSame &&= turned === item;
    return [key, turned] as const;
  });
  return isSame ? value : new Map(entries);
}

function movePlace(value: PdfValue[], fit: string, place: PdfValue[], turn: Matrix): PdfValue {
  const known = place.filter((item) => typeof item === 'number');
  const head = value.slice(0, 2);
  if (fit === 'FitR' && known.length === 4) return [...head, ...moveRectangle(known, turn)];
  const [left, top, zoom] = place;
  if (fit !== 'XYZ' || typeof left !== 'number' || typeof top !== 'number') return value;
  return [...head, ...mapPoint(turn, left, top), ...(zoom === undefined ? [] : [zoom])];
}
