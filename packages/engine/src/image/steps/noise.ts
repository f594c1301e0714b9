import { ramp } from '../ramps.ts';
import { estimateNoise } from './noise-estimate.ts';
import type { Picture } from '../picture.ts';
import { SHRINK_MARGIN, shrinkStrip, type PlaneShrinkage } from '../filters/shrink-strip.ts';
import { filterStrips } from '../filters/strips.ts';

/** Minimum noise, levels of 255: less is invisible, and removing it would cost detail. */
const LEAST_SIGMA = 1.2;
/** Noise from which a network is certain to find more noise than detail, levels of 255. */
const CERTAIN_SIGMA = 2 * LEAST_SIGMA;
/** Detail that the network for noise removes, as a standard deviation, levels of 255. */
const LOST_DETAIL = 2;
/** Maximum noise: a larger estimate indicates a pattern or a drawing. */
const MOST_SIGMA = 40;
/** Threshold at strength 0.5, in standard deviations of the noise; 2.7 to 3 gives the best PSNR (IPOL 2011). */
export const THRESHOLD = 2.8;

/**
 * Returns the noise of each colour channel, levels of 255, or undefined if there is too little to remove.
 * @param coded whether the file has a lossy coding
 */
export function noiseToReduce(picture: Picture, coded = false): number[] | undefined {
  const sigmas = estimateNoise(picture, coded);
  const sigma = Math.max(...sigmas);
  return sigma < LEAST_SIGMA || sigma > MOST_SIGMA ? undefined : sigmas;
}

/**
 * Returns the part of the network's correction that leaves the least error, 0 to 1: the network removes fine detail together with noise. It
 * is the weight of two independent errors by their squares.
 * @param sigma standard deviation of the noise, levels of 255
 */
export function networkShare(sigma: number): number {
  return (ramp(sigma, [LEAST_SIGMA, CERTAIN_SIGMA]) * sigma ** 2) / (sigma ** 2 + LOST_DETAIL ** 2);
}

/**
 * Removes noise of a known strength with a classical filter, in place.
 * @param sigmas standard deviation of the noise in each colour channel, levels of 255
 * @param strength 0 to 1: 0.5 removes this noise, 1 half as much again, 0 nothing
 */
export function filterNoise(
  picture: Picture,
  sigmas: number[],
  strength: number,
  onPart?: (part: number) => void,
): void {
  const factor = THRESHOLD * (strength <= 0.5 ? 2 * strength : 0.5 + strength);
  const planes = picture.space === 'rgb' ? lumaAndChroma(sigmas, factor) : sigmas.map((s) => plane(s * factor));
  filterStrips(picture, SHRINK_MARGIN, (strip) => shrinkStrip(strip, planes), onPart);
}

/** Returns the noise of luma and chroma from that of red, green and blue (weights as in `strips.ts`). */
function lumaAndChroma([r = 0, g = 0, b = 0]: number[], factor: number): (PlaneShrinkage | undefined)[] {
  const luma = Math.hypot(0.299 * r, 0.587 * g, 0.114 * b);
  const blue = 0.564 * Math.hypot(0.299 * r, 0.587 * g, 0.886 * b);
  const red = 0.713 * Math.hypot(0.701 * r, 0.587 * g, 0.114 * b);
  return [plane(luma * factor), plane(blue * factor), plane(red * factor)];
}

function plane(threshold: number): PlaneShrinkage {
  return { thresholds: new Float32Array(64).fill(threshold), halved: false };
}
