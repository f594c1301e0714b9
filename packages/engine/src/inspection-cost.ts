import type { MediaType } from './contract/media.ts';
import { readImageSizes, type ImageSize } from './image-header.ts';
import { MAX_INPUT_PIXELS } from './limits.ts';

/** CPU time to decode a pixel once, nanoseconds: the dearer of a flat picture of 100 megapixels and a noisy one of 12 to 48. */
const PIXEL_NS: Record<Exclude<MediaType, 'application/pdf'>, number> = {
  'image/jpeg': 9,
  'image/png': 18,
  'image/tiff': 15,
  // Two decodings: damage shows only in the second one.
  'image/webp': 90,
  'image/gif': 16,
  'image/bmp': 15,
  'image/avif': 110,
  'image/heic': 110,
};

/** The same for a progressive JPEG and an interlaced PNG. */
const INTERLACED_PIXEL_NS = 35;

/**
 * Estimates the CPU time of an inspection from the header of the file, in milliseconds. The header may lie, so the estimate only
 * decides where the inspection runs. An image over the limit of pixels costs nothing, because its header refuses it.
 * @returns Infinity when the header cannot be read
 */
export async function estimateInspectionMs(path: string, type: MediaType): Promise<number> {
  if (type === 'application/pdf') return Infinity;
  let sizes: ImageSize[];
  try {
    sizes = await readImageSizes(path, type);
  } catch {
    return Infinity;
  }
  const costs = sizes.map(({ width, height, interlaced }) =>
    width * height > MAX_INPUT_PIXELS ? 0 : width * height * (interlaced ? INTERLACED_PIXEL_NS : PIXEL_NS[type]),
  );
  return costs.length === 0 ? Infinity : Math.max(...costs) / 1e6;
}
