import type { Picture } from '../picture.ts';
import { blurPlane, gaussianKernel, neighbourhoodRange } from '../filters/plane-filters.ts';
import { filterStrips } from '../filters/strips.ts';

/** Share of the detail added at full strength. */
const AMOUNT = 2.2;
/** Maximum overshoot of a pixel beyond its neighbours, levels of 255: enough for crispness, too little for a halo. */
const OVERSHOOT = 4;
/** Detail of a smaller amplitude, levels of 255, counts as noise and fades out. */
const CORE = 1.5;

/**
 * Unsharp masking of luma, in place. The overshoot beyond a pixel's neighbourhood is limited to a few levels, so edges
 * become steeper without a halo. RGB keeps its hue; grey and CMYK are sharpened by channel.
 * @param strength 0 to 1
 * @param scale enlargement factor of the picture, which is the width of its detail in pixels
 */
export function sharpen(picture: Picture, strength: number, scale: number, onPart?: (part: number) => void): void {
  const radius = Math.max(1, Math.round(scale));
  const kernel = gaussianKernel(scale);
  const margin = 8 * Math.ceil((radius + kernel.length) / 8);
  const planes = picture.space === 'rgb' ? 1 : Infinity;
  filterStrips(
    picture,
    margin,
    ({ width, height, source, target }) => {
      source.slice(0, planes).forEach((plane, p) => {
        const blurred = blurPlane(plane, width, height, kernel);
        const { low, high } = neighbourhoodRange(plane, width, height, radius);
        const out = target[p]!;
        for (let i = 0; i < plane.length; i += 1) {
          const detail = plane[i]! - blurred[i]!;
          const size = detail < 0 ? -detail : detail;
          const value = plane[i]! + (detail * AMOUNT * strength * size) / (size + CORE);
          const [least, most] = [low[i]! - OVERSHOOT, high[i]! + OVERSHOOT];
          out[i] = value < least ? least : value > most ? most : value;
        }
      });
    },
    onPart,
  );
}
