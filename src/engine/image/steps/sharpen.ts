import type { Picture } from '../picture.ts';
import { blurPlane, gaussianKernel, neighbourhoodRange } from '../filters/plane-filters.ts';
import { filterStrips } from '../codecs/strips.ts';

/** Part of the detail that full strength adds. */
const AMOUNT = 2.2;
/** How far a pixel may go beyond its neighbours, levels of 255: enough for crispness, too little for a halo. */
const OVERSHOOT = 4;
/** Detail weaker than this, levels of 255, is taken for noise and fades out. */
const CORE = 1.5;

/**
 * Unsharp masking of luma, in place. No pixel gets brighter or darker than its neighbourhood by more than a few
 * levels, so edges get steeper but carry no halo. RGB keeps its hue; grey and CMYK are sharpened by channel.
 * @param strength 0 to 1
 * @param scale how much the picture has been enlarged: detail is as many pixels wide
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
