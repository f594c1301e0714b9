import type { Picture } from '../../image/picture.ts';
import { BilevelField, PARTS } from './bilevel-field.ts';

/** Least coverage by ink of a black pixel of the result, of 255. Below one half, thin strokes stay whole. */
const THRESHOLD = 102;

/**
 * Enlarges a one-bit image with smooth edges: predicts the coverage by ink at four times the size, and thresholds its
 * mean over each pixel of the result. The middle of each source pixel of ink stays ink, and gaps in thin strokes close.
 * @param picture one channel of 0 and 255
 * @param width of the result, pixels, up to four times that of the picture; so is its height
 */
export function enlargeBilevel(picture: Picture, width: number, height: number): Picture {
  const field = new BilevelField(picture);
  const data = new Uint8Array(width * height).fill(255 - field.ink);
  const fine = picture.width * PARTS;
  const [across, down] = [divide(fine, width), divide(picture.height * PARTS, height)];
  const rows = [new Uint8Array(fine * PARTS), new Uint8Array(fine * PARTS)];
  const rowsOf = [-1, -1];
  const column = new Float64Array(fine + 1);
  const sums = new Float64Array(fine + 1);
  for (let y = 0; y < height; y += 1) {
    const [top, bottom] = [down[y]!, down[y + 1]!];
    column.fill(0);
    for (let line = Math.floor(top); line < bottom; line += 1) {
      const source = Math.floor(line / PARTS);
      if (rowsOf[source % 2] !== source) {
        rowsOf[source % 2] = source;
        field.predictRow(source, rows[source % 2]!);
      }
      const weight = Math.min(bottom, line + 1) - Math.max(top, line);
      const from = (line % PARTS) * fine;
      const row = rows[source % 2]!;
      for (let x = 0; x < fine; x += 1) column[x]! += weight * row[from + x]!;
    }
    for (let x = 0; x < fine; x += 1) sums[x + 1] = sums[x]! + column[x]!;
    // Integral of the coverage up to a place between two samples.
    const upTo = (place: number): number => sums[Math.floor(place)]! + (place % 1) * column[Math.floor(place)]!;
    const least = THRESHOLD * (bottom - top);
    for (let x = 0, at = y * width; x < width; x += 1, at += 1) {
      const [left, right] = [across[x]!, across[x + 1]!];
      if (upTo(right) - upTo(left) >= least * (right - left)) data[at] = field.ink;
    }
  }
  return { ...picture, data, width, height };
}

/** Places of the joints between the pixels of a result, in samples of the coverage. */
function divide(samples: number, size: number): Float64Array {
  return Float64Array.from({ length: size + 1 }, (_, i) => (i === size ? samples : (i * samples) / size));
}
