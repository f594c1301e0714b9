import { linearLight } from '../steps/curves.ts';
import { PIXELS } from '../steps/tone-square.ts';

/** Every fourth pixel of a square tells its colours. */
const STEP = 4;
/** White of D65 (CIE 15). */
const [WHITE_X, WHITE_Z] = [0.95047, 1.08883];
/** Steps of the table of light. */
const STEPS = 1024;

let lights: Float32Array | undefined;

/** Returns the CIE L*a*b* of some pixels of three planes (IEC 61966-2-1; CIE 15), one after the other. @param planes coded values of sRGB, 0..1 */
export function labOf(planes: Float32Array): Float32Array {
  lights ??= Float32Array.from({ length: STEPS + 1 }, (_, i) => linearLight(i / STEPS));
  const found = new Float32Array((3 * PIXELS) / STEP);
  for (let i = 0, at = 0; i < PIXELS; i += STEP, at += 3) {
    const r = lights[(planes[i]! * STEPS + 0.5) | 0]!;
    const g = lights[(planes[PIXELS + i]! * STEPS + 0.5) | 0]!;
    const b = lights[(planes[2 * PIXELS + i]! * STEPS + 0.5) | 0]!;
    const x = bent((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / WHITE_X);
    const y = bent(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
    const z = bent((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / WHITE_Z);
    found[at] = 116 * y - 16;
    found[at + 1] = 500 * (x - y);
    found[at + 2] = 200 * (y - z);
  }
  return found;
}

const bent = (t: number): number => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);

/** Returns the mean distance of two pictures, CIE ΔE of 1976. */
export function differenceOf(one: Float32Array, two: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i += 3)
    sum += Math.hypot(one[i]! - two[i]!, one[i + 1]! - two[i + 1]!, one[i + 2]! - two[i + 2]!);
  return (3 * sum) / one.length;
}
