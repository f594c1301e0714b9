import type { PdfParameters } from '@burnish/contract/engine';
import type { PdfFacts } from './facts.ts';
import { isLeftOut } from './left-out.ts';
import { sizeFor } from './work.ts';

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
  for (const image of facts.eligible) {
    const { resolution, width, fixed } = image;
    if (fixed || leavesOut(image) || resolution === null || resolution <= 0) continue;
    if (targetResolution / resolution <= upscalingThreshold) continue;
    const dpi = resolution * (sizeFor(image, parameters).width / width);
    if (dpi < targetResolution - ROUNDING) reached.push(dpi);
  }
  if (reached.length === 0) return null;
  let [lowest, highest] = [Infinity, 0];
  for (const dpi of reached) [lowest, highest] = [Math.min(lowest, dpi), Math.max(highest, dpi)];
  return { images: reached.length, lowest, highest };
}
