import { readDestination, type Destination } from '../pages/destinations.ts';
import { mapPoint, type Matrix } from '../pages/matrix.ts';
import { mapValue } from '../pages/map-value.ts';
import { name, type PdfValue } from '@burnish/pdf';
import { moveRectangle } from './turned-annotation.ts';

/**
 * Returns a value with its destinations on turned pages moved, or the value itself without any. Destinations without a
 * point stay.
 * @param turns by the object number of the page
 */
export const turnDestinations = (value: PdfValue, turns: ReadonlyMap<number, Matrix>): PdfValue =>
  mapValue(value, (part) => {
    const destination = readDestination(part);
    const turn = destination && turns.get(destination.page.number);
    const place = turn && movePlace(destination, turn);
    return place && [destination.page, name(destination.fit), ...place];
  });

/** @returns undefined for a destination without a point */
function movePlace({ fit, place }: Destination, turn: Matrix): readonly PdfValue[] | undefined {
  const known = place.filter((item) => typeof item === 'number');
  if (fit === 'FitR' && known.length === 4) return moveRectangle(known, turn);
  const [left, top, zoom] = place;
  if (fit !== 'XYZ' || typeof left !== 'number' || typeof top !== 'number') return undefined;
  return [...mapPoint(turn, left, top), ...(zoom === undefined ? [] : [zoom])];
}
