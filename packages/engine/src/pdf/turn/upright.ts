import { mapPoint, multiply, type Matrix } from '../pages/matrix.ts';
import type { QuarterTurns } from '../../image/quarter-turn.ts';
import type { ScanOfPage } from './scan-of-page.ts';
import { pageFrame, type PdfDocument } from '@burnish/pdf';

/** How the picture of a scan is changed so that it stands as readers show its page: mirrored first, then turned. */
export interface Uprighting {
  /** Left and right change places */
  mirrored: boolean;
  /** Quarter turns clockwise */
  turns: QuarterTurns;
}

/** Finds how a page shows its scan, by `Rotate` and the matrix of its draw. A slant below 45° counts as none. */
export function findUprighting(pdf: PdfDocument, { page, pixels, width, height }: ScanOfPage): Uprighting {
  const frame = pageFrame(pdf, page);
  const unit = page.userUnit;
  const shown = (x: number, y: number): [number, number] => {
    const [userX, userY] = mapPoint(pixels, x, y);
    const place = frame.shown(userX * unit, userY * unit);
    return [place.x * frame.width, place.y * frame.height];
  };
  const [origin, right, below] = [shown(0, 0), shown(width, 0), shown(0, height)];
  const across = [right[0] - origin[0], right[1] - origin[1]] as const;
  const down = [below[0] - origin[0], below[1] - origin[1]] as const;
  const mirrored = across[0] * down[1] - across[1] * down[0] < 0;
  // The mirrored picture runs in the other direction along its rows.
  const [x, y] = mirrored ? [-across[0], -across[1]] : across;
  if (Math.abs(x) >= Math.abs(y)) return { mirrored, turns: x >= 0 ? 0 : 2 };
  return { mirrored, turns: y > 0 ? 1 : 3 };
}

/** Returns the size of the upright picture of a scan. */
export const uprightSize = ({ turns }: Uprighting, width: number, height: number): [width: number, height: number] =>
  turns % 2 === 0 ? [width, height] : [height, width];

/**
 * Returns the matrix from pixels of the upright picture to the user space of the page.
 * @param read size of that picture, which may have another scale than the scan
 */
export function matrixOfUpright(
  { pixels, width, height }: Pick<ScanOfPage, 'pixels' | 'width' | 'height'>,
  { mirrored, turns }: Uprighting,
  read: { width: number; height: number },
): Matrix {
  const fractions: Matrix = [1 / read.width, 0, 0, 1 / read.height, 0, 0];
  const back = (
    [
      [1, 0, 0, 1, 0, 0],
      [0, -1, 1, 0, 0, 1],
      [-1, 0, 0, -1, 1, 1],
      [0, 1, -1, 0, 1, 0],
    ] as const
  )[turns];
  const mirror: Matrix = mirrored ? [-1, 0, 0, 1, 1, 0] : [1, 0, 0, 1, 0, 0];
  return [back, mirror, [width, 0, 0, height, 0, 0] as const, pixels].reduce<Matrix>(multiply, fractions);
}
