import { addDoubled, half, halvePlane } from './chroma.ts';
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
