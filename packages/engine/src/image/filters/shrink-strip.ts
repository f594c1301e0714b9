import { shrinkPlane } from './dct-shrinkage.ts';
import type { Strip } from './strips.ts';

/** Rows that a block extends beyond the edge of a band, also at half size. */
export const SHRINK_MARGIN = 16;

/** Thresholds of one plane, and whether to process it at half size, the stored size of chroma. */
export interface PlaneShrinkage {
  thresholds: Float32Array;
  halved: boolean;
}

export function shrinkStrip({ width, height, source, target }: Strip, planes: (PlaneShrinkage | undefined)[]): void {
  planes.forEach((plane, p) => {
    const from = source[p];
    const to = target[p];
    if (!plane || !from || !to) return;
    if (!plane.halved) {
      shrinkPlane(from, width, height, plane.thresholds, to);
      return;
    }
    const small = halvePlane(from, width, height);
    const change = new Float32Array(small.length);
    shrinkPlane(small, half(width), half(height), plane.thresholds, change);
    for (let i = 0; i < change.length; i += 1) change[i]! -= small[i]!;
    addDoubled(to, width, height, change);
  });
}

/** Half of a side, rounded up, pixels. */
const half = (side: number): number => (side + 1) >> 1;

/** Mean of each 2×2 pixels; the last row or column of an odd side is averaged alone. */
function halvePlane(plane: Float32Array, width: number, height: number): Float32Array {
  const [w, h] = [half(width), half(height)];
  const result = new Float32Array(w * h);
  for (let y = 0; y < h; y += 1) {
    const upper = 2 * y * width;
    const lower = Math.min(2 * y + 1, height - 1) * width;
    for (let x = 0; x < w; x += 1) {
      const left = 2 * x;
      const right = Math.min(left + 1, width - 1);
      result[y * w + x] =
        (plane[upper + left]! + plane[upper + right]! + plane[lower + left]! + plane[lower + right]!) / 4;
    }
  }
  return result;
}

/**
 * Adds a plane of half size to one of full size, upsampled with the triangle filter of JPEG decoders. Each pixel takes
 * 3/4 of its own sample and 1/4 of the nearer neighbour, in both directions.
 */
function addDoubled(target: Float32Array, width: number, height: number, small: Float32Array): void {
  const [w, h] = [half(width), half(height)];
  for (let y = 0; y < height; y += 1) {
    const near = (y >> 1) * w;
    const far = Math.min(h - 1, Math.max(0, (y >> 1) + ((y & 1) === 0 ? -1 : 1))) * w;
    for (let x = 0; x < width; x += 1) {
      const i = x >> 1;
      const j = Math.min(w - 1, Math.max(0, i + ((x & 1) === 0 ? -1 : 1)));
      const value = 9 * small[near + i]! + 3 * (small[near + j]! + small[far + i]!) + small[far + j]!;
      target[y * width + x]! += value / 16;
    }
  }
}
