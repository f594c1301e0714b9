import { counted, formatNumber } from '../../contract/counted.ts';
import type { PdfParameters } from '../../contract/parameters.ts';
import { enlargeableBilevel } from './coarse-scan.ts';
import type { PdfFacts } from './facts.ts';
import { isLeftOut } from './left-out.ts';
import { MAX_SCALE, sizeFor } from './work.ts';

/** Images that stay below the target resolution although they exceed the upscaling threshold. */
export interface Shortfall {
  images: number;
  /** Lowest and highest resolution that they reach, DPI */
  lowest: number;
  highest: number;
}

/** A smaller difference to the target, DPI, is a rounding error. */
const ROUNDING = 0.5;

/** Finds the images that a limit keeps below the target. @returns null when all reach it */
export function findShortfall(facts: PdfFacts, parameters: PdfParameters): Shortfall | null {
  const { targetResolution, upscalingThreshold } = parameters;
  const leavesOut = isLeftOut(parameters);
  const reached: number[] = [];
  const asked = [
    ...facts.eligible.filter(({ fixed }) => !fixed),
    ...(parameters.bilevel === 'SMOOTH' ? enlargeableBilevel(facts) : []),
  ];
  for (const image of asked) {
    const { resolution, width } = image;
    if (leavesOut(image) || resolution === null || resolution <= 0) continue;
    if (targetResolution / resolution <= upscalingThreshold) continue;
    const dpi = resolution * (sizeFor(image, parameters).width / width);
    if (dpi < targetResolution - ROUNDING) reached.push(dpi);
  }
  if (reached.length === 0) return null;
  let [lowest, highest] = [Infinity, 0];
  for (const dpi of reached) [lowest, highest] = [Math.min(lowest, dpi), Math.max(highest, dpi)];
  return { images: reached.length, lowest, highest };
}

/**
 * Returns the shortfall as a sentence, such as "12 images reach 240 of 300 DPI: an image is enlarged at most 4 times."
 */
export function shortfallNote({ images, lowest, highest }: Shortfall, { targetResolution }: PdfParameters): string {
  const [low, high] = [Math.floor(lowest), Math.floor(highest)].map(formatNumber);
  const reach = low === high ? low : `${low} to ${high}`;
  const verb = images === 1 ? 'reaches' : 'reach';
  const most = `an image is enlarged at most ${MAX_SCALE} times, and to at most 65,500 pixels a side`;
  return `${counted(images, 'image')} ${verb} ${reach} of ${formatNumber(targetResolution)} DPI: ${most}.`;
}
