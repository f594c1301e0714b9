import { changesColor, type PdfWork, type PdfParameters } from '../../../domain/enhancement/parameters.ts';
import type { EligibleImage, MaskLayer, PdfFacts } from './facts.ts';
import { assertWithin } from '../limits.ts';
import type { PicturePart } from '../pages/neighbours.ts';

/** More is invention, not resolution; what stays below the target is said (`shortfall.ts`). */
export const MAX_SCALE = 4;

/** The planned work on one picture. */
export interface ImageWork {
  /** Object number; of the first, where there are parts */
  number: number;
  /** Pixels of the result; those of the picture when its samples are not resized */
  width: number;
  height: number;
  /** Pixels of its new mask, where that is written */
  mask?: { width: number; height: number };
  /** Samples or mask are brought to another size */
  resize: boolean;
  color: boolean;
  /** Its samples are enlarged, and those of a photograph: they may be coded as JPEG */
  photograph?: true;
  /** It has one bit a pixel, and gets smooth edges */
  bilevel?: true;
  /** The images that it is made of, where there are several */
  parts?: PicturePart[];
}

/** What these parameters ask for, picture by picture, in the order of the object numbers. @throws Failure TOO_MANY_PIXELS */
export function workOf(facts: PdfFacts, parameters: PdfParameters): ImageWork[] {
  const wantsColor = changesColor(parameters);
  const work: ImageWork[] = [];
  let pixels = 0;
  for (const image of facts.eligible) {
    if (image.hidden && !parameters.hiddenLayers) continue;
    const { number, parts, mask } = image;
    const size = image.fixed ? { width: image.width, height: image.height, resize: false } : sizeFor(image, parameters);
    const maskSize = mask && sizeOfMask(image, mask, parameters);
    const resize = size.resize || (maskSize?.resize ?? false);
    const color = wantsColor && image.color;
    if (!resize && !color) continue;
    pixels += image.width * image.height + size.width * size.height;
    if (maskSize) pixels += maskSize.width * maskSize.height;
    assertWithin('workPixels', pixels);
    const isMaskWritten = maskSize && (maskSize.resize || mask?.bound);
    work.push({
      number,
      width: size.width,
      height: size.height,
      ...(isMaskWritten && { mask: { width: maskSize.width, height: maskSize.height } }),
      resize,
      color,
      ...(image.color && size.resize && { photograph: true }),
      ...(parts && { parts }),
    });
  }
  if (parameters.bilevel !== 'SMOOTH') return work;
  for (const image of facts.bilevel) {
    if (image.hidden && !parameters.hiddenLayers) continue;
    const { number, parts } = image;
    const size = sizeFor(image, parameters);
    if (!size.resize) continue;
    pixels += image.width * image.height + size.width * size.height;
    assertWithin('workPixels', pixels);
    work.push({ number, ...size, color: false, bilevel: true, ...(parts && { parts }) });
  }
  return work.sort((one, two) => one.number - two.number);
}

function sizeOfMask(
  { maxSide, maxPixels }: EligibleImage,
  mask: MaskLayer,
  parameters: PdfParameters,
): ReturnType<typeof sizeFor> {
  const { width, height } = mask;
  return mask.flat ? { width, height, resize: false } : sizeFor({ ...mask, maxSide, maxPixels }, parameters);
}

/**
 * The size that brings every draw of an image to the target: by the lowest resolution, at most 4 times, and no further than encoding
 * and memory allow. An image whose need is within the threshold, or which could not be brought past it, keeps its size.
 */
export function sizeFor(
  image: Pick<EligibleImage, 'width' | 'height' | 'resolution' | 'maxSide' | 'maxPixels'>,
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
