import { droppedPages, keptPages, type PdfParameters } from '@burnish/contract/engine';
import type { EligibleImage } from './facts.ts';

type Placed = Pick<EligibleImage, 'hidden' | 'drawnOn'>;

/** Returns whether one of the given pages draws an image. @param pages from 1 */
export function drawnOnOneOf(pages: readonly number[]): (image: Pick<Placed, 'drawnOn'>) => boolean {
  const wanted = new Set(pages);
  return ({ drawnOn }) => wanted.size > 0 && drawnOn.some((page) => wanted.has(page));
}

/** Returns whether no other than the given pages draws an image. @param pages from 1 */
export function drawnOnlyOn(pages: readonly number[]): (image: Pick<Placed, 'drawnOn'>) => boolean {
  const wanted = new Set(pages);
  return ({ drawnOn }) => drawnOn.length > 0 && drawnOn.every((page) => wanted.has(page));
}

/** Returns whether an order leaves an image out: in hidden layers, on a page that stays as it is, or on dropped pages alone. */
export function isLeftOut({ hiddenLayers, pages }: Pick<PdfParameters, 'hiddenLayers' | 'pages'>) {
  const isKept = drawnOnOneOf(keptPages(pages));
  const isDropped = drawnOnlyOn(droppedPages(pages));
  return (image: Placed): boolean => (image.hidden === true && !hiddenLayers) || isKept(image) || isDropped(image);
}
