import type { Thumb } from './picture-features.ts';
import { lumaAt } from '../../image/luma.ts';

/** Terms of a quadratic surface over a picture: 1, x, y, x², xy and y². */
const TERMS = 6;
/** Pixels between two samples, across and down. */
const STEP = 2;
/**
 * Deviation from the surface, as a share of that from the mean, below which a picture is smooth. Ramps have at most 0.14, skies without
 * detail, whose tone is all that they show, have 0.26 and more, and other photographs at least 0.33.
 */
const SMOOTH = 0.3;

/**
 * Whether a quadratic surface explains the luma of a picture, such as a ramp. The steps between its few levels may look like grain.
 * @param seen 1 for each visible pixel
 */
export function isSmooth({ data, width, height, channels }: Thumb, seen: Uint8Array): boolean {
  const sums = Array.from({ length: TERMS }, () => new Float64Array(TERMS + 1));
  let [count, sum, squares] = [0, 0, 0];
  for (let y = 0; y < height; y += STEP) {
    for (let x = 0; x < width; x += STEP) {
      const at = y * width + x;
      if (seen[at] !== 1) continue;
      const from = at * channels;
      const luma = lumaAt(data, from, channels);
      const [u, v] = [(2 * x) / width - 1, (2 * y) / height - 1];
      const terms = [1, u, v, u * u, u * v, v * v];
      for (let row = 0; row < TERMS; row += 1) {
        for (let column = 0; column < TERMS; column += 1) sums[row]![column]! += terms[row]! * terms[column]!;
        sums[row]![TERMS]! += terms[row]! * luma;
      }
      count += 1;
      sum += luma;
      squares += luma * luma;
    }
  }
  const variation = squares - (sum * sum) / Math.max(1, count);
  const moments = sums.map((row) => row[TERMS]!);
  const weights = solve(sums);
  if (weights === undefined || variation < count) return false;
  // What a least-squares surface explains of the squares is the product of its weights and the moments.
  const left = squares - weights.reduce((total, weight, term) => total + weight * moments[term]!, 0);
  return left < SMOOTH ** 2 * variation;
}

/** Solves linear equations, each with its right side behind it, by Gauss and Jordan, in place. @returns undefined without one solution */
function solve(rows: readonly Float64Array[]): number[] | undefined {
  for (const [at, row] of rows.entries()) {
    const pivot = row[at]!;
    if (!(Math.abs(pivot) > 1e-9)) return undefined;
    for (const other of rows) {
      if (other === row) continue;
      const times = other[at]! / pivot;
      other.forEach((value, column) => (other[column] = value - times * row[column]!));
    }
  }
  return rows.map((row, at) => row[rows.length]! / row[at]!);
}
