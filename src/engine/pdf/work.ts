import { changesColor, type PdfWork } from '../../domain/pricing.ts';
import type { PdfParameters } from '../../domain/parameters.ts';
import type { EligibleImage, PdfFacts } from './facts.ts';
import { assertWithin } from './limits.ts';

/** More is invention, not resolution. */
const MAX_SCALE = 4;

/** What is to be done to one image. */
export interface ImageWork {
  /** Object number */
  number: number;
  /** Pixels of the result; those of the image when it is not resized */
  width: number;
  height: number;
  resize: boolean;
  color: boolean;
}

/** What these parameters ask for, image by image, in the order of the object numbers. @throws Failure TOO_MANY_PIXELS */
export function workOf(facts: PdfFacts, parameters: PdfParameters): ImageWork[] {
  const wantsColor = changesColor(parameters);
  const work: ImageWork[] = [];
  let pixels = 0;
  for (const image of facts.eligible) {
    const { width, height, resize } = sizeFor(image, parameters);
    const color = wantsColor && image.color;
    if (!resize && !color) continue;
    pixels += image.width * image.height + width * height;
    assertWithin('workPixels', pixels);
    work.push({ number: image.number, width, height, resize, color });
  }
  return work;
}

/**
 * The size that brings every draw of an image to the target: by the lowest resolution, at most 4 times, and no further than encoding
 * and memory allow. An image whose need is within the threshold, or which could not be brought past it, keeps its size.
 */
export function sizeFor(
  image: EligibleImage,
  { targetResolution, upscalingThreshold }: PdfParameters,
): { width: number; height: number; resize: boolean } {
  const { width, height, resolution, maxSide, maxPixels } = image;
  const same = { width, height, resize: false };
  if (resolution === null || resolution <= 0) return same;
  const need = targetResolution / resolution;
  if (need <= upscalingThreshold || need <= 1) return same;
  const bound = Math.min(MAX_SCALE, maxSide / Math.max(width, height), Math.sqrt(maxPixels / (width * height)));
  const scale = Math.min(need, bound);
  if (scale <= upscalingThreshold || scale <= 1) return same;
  // Rounded up, so that no side falls short of the target by a part of a pixel; never over the bound.
  const side = (length: number): number =>
    Math.min(Math.ceil(length * scale - 1e-6), Math.floor(length * bound + 1e-6));
  return { width: side(width), height: side(height), resize: true };
}

/** The counts that the price is made of. */
export function countWork(work: readonly ImageWork[]): PdfWork {
  const both = work.filter(({ color, resize }) => color && resize).length;
  return {
    colorOnly: work.filter(({ color }) => color).length - both,
    resizeOnly: work.filter(({ resize }) => resize).length - both,
    both,
  };
}
