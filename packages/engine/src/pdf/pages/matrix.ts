import type { PdfValue } from '@burnish/pdf';

/** A transformation matrix [a b c d e f] (ISO 32000-1 section 8.3.3); e and f are the translation, in points. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Returns the product: `inner` applied first, then `outer`. */
export function multiply([a, b, c, d, e, f]: Matrix, [A, B, C, D, E, F]: Matrix): Matrix {
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F];
}

/** Returns the matrix that undoes another one. @returns undefined where it maps everything to a line or a point */
export function invert([a, b, c, d, e, f]: Matrix): Matrix | undefined {
  const area = a * d - b * c;
  if (!Number.isFinite(1 / area)) return undefined;
  return [d / area, -b / area, -c / area, a / area, (c * f - d * e) / area, (b * e - a * f) / area];
}

/** Maps a point. */
export const mapPoint = ([a, b, c, d, e, f]: Matrix, x: number, y: number): [x: number, y: number] => [
  a * x + c * y + e,
  b * x + d * y + f,
];

/** Returns the smallest box around the mapped corners of a box of four numbers. */
export function mapBox(
  matrix: Matrix,
  box: readonly number[],
): [left: number, bottom: number, right: number, top: number] {
  const [x0, y0, x1, y1] = box as [number, number, number, number];
  const corners = [x0, x1].flatMap((x) => [y0, y1].map((y) => mapPoint(matrix, x, y)));
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** Returns the matrix of an array, or the identity for any other value; an entry that is not a number counts as 0. */
export function toMatrix(value: PdfValue): Matrix {
  if (!Array.isArray(value)) return IDENTITY;
  const [a, b, c, d, e, f] = value;
  if (typeof a !== 'number' || typeof b !== 'number' || typeof c !== 'number' || typeof d !== 'number') return IDENTITY;
  return [a, b, c, d, typeof e === 'number' ? e : 0, typeof f === 'number' ? f : 0];
}
