import type { Fold } from './find-fold.ts';

/** A part of a picture with a direction of its own: a page, or one side of the fold of a spread. */
export interface PageArea {
  /** First column of the straight area, and the one after its last */
  left: number;
  right: number;
  /** Whether a pixel of the skewed picture belongs to the area */
  holds: (x: number, y: number) => boolean;
  /** Column of the fold in a row of the skewed picture */
  foldAt?: (y: number) => number;
}

export const wholeArea = ({ width }: { width: number }): PageArea => ({ left: 0, right: width, holds: () => true });

/** The two pages of a spread. A straight one ends at the column of the fold, a skewed one at the fold as it lies. */
export function sidesOf(
  { at, tilt }: Fold,
  { width, height }: { width: number; height: number },
): [PageArea, PageArea] {
  const column = Math.round(at);
  const foldAt = (y: number): number => at + tilt * (y - height / 2);
  return [
    { left: 0, right: column, holds: (x, y) => x < foldAt(y), foldAt },
    { left: column, right: width, holds: (x, y) => x >= foldAt(y), foldAt },
  ];
}
