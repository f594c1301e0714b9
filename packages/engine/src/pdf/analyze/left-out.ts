import { keptPages, type PdfParameters } from '@burnish/contract/engine';
import type { EligibleImage } from './facts.ts';

type Placed = Pick<EligibleImage, 'hidden' | 'drawnOn'>;

/** Returns whether one of the given pages draws an image. @param pages from 1 */
export function drawnOnOneOf(pages: readonly number[]): (image: Pick<Placed, 'drawnOn'>) => boolean {
  const wanted = new Set(pages);
  return ({ drawnOn }) => wanted.size > 0 && drawnOn.some((page) => wanted.has(page));
}

/** Returns whether an order leaves an image out: in hidden layers, or on a page that stays as it is. */
export function isLeftOut({ hiddenLayers, pages }: Pick<PdfParameters, 'hiddenLayers' | 'pages'>) {
  const isKept = drawnOnOneOf(keptPages(pages));
  return (image: Placed): boolean => (image.hidden === true && !hiddenLayers) || isKept(image);
}
