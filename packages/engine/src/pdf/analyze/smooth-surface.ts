import { solve } from '../../image/linear-equations.ts';
import type { Thumb } from './picture-features.ts';

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
 * @param lumas of all pixels
 * @param seen 1 for each visible pixel
 */
export function isSmooth(
  { width, height }: Pick<Thumb, 'width' | 'height'>,
  lumas: Float32Array,
  seen: Uint8Array,
): boolean {
  const sums = Array.from({ length: TERMS }, () => new Array<number>(TERMS + 1).fill(0));
  let [count, sum, squares] = [0, 0, 0];
  for (let y = 0; y < height; y += STEP) {
    for (let x = 0; x < width; x += STEP) {
      const at = y * width + x;
      if (seen[at] !== 1) continue;
      const luma = lumas[at]!;
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
