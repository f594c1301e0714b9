import {
  mediaKind,
  planSize,
  resolveImageParameters,
  type EnhancementParameters,
  type ImageParameters,
  type MediaType,
  type Size,
  type SizePlan,
} from '@burnish/contract';

/** A file of an upload; width and height in pixels, 0 for a PDF. */
type Picture = { mimetype: MediaType } & Size;

/** Work that the engine does within one to two seconds of CPU time: that of tone for so many megapixels. */
const QUICK_MEGAPIXELS = 16;
/** CPU time of a step for a megapixel, as a multiple of that of tone. */
const COSTS = { restoration: 8, enlargement: 8, detail: 500, avif: 8 };

const megapixels = ({ width, height }: Size): number => (width * height) / 1_000_000;

/**
 * Whether an enhancement can take longer than a second or two of CPU time: each PDF, and an image by its size and its order. Large
 * work has slots of its own, so that it never holds those of other accounts' quick work.
 * @param picture with its size in pixels
 */
export function isLargeWork(picture: Picture, parameters: EnhancementParameters): boolean {
  return mediaKind(picture.mimetype) === 'pdf' || costOf(picture, parameters) > QUICK_MEGAPIXELS;
}

/** Pixels that a byte of a photograph holds: three or four bits each where the format loses detail, and eight where it loses none. */
const PIXELS_A_BYTE = { lossy: 3, lossless: 1 };
const LOSSY: readonly MediaType[] = ['image/jpeg', 'image/webp', 'image/avif', 'image/heic'];

/** Whether the same is likely of a file whose size in pixels is unknown, by its bytes. */
export function isLikelyLargeWork(
  { mimetype, size }: { mimetype: MediaType; size: number },
  parameters: EnhancementParameters,
): boolean {
  const side = Math.sqrt(size * PIXELS_A_BYTE[LOSSY.includes(mimetype) ? 'lossy' : 'lossless']);
  return isLargeWork({ mimetype, width: side, height: side }, parameters);
}

/** CPU time of an image's enhancement, as megapixels of tone. */
function costOf(picture: Picture, parameters: EnhancementParameters): number {
  const order = resolveImageParameters(parameters);
  const plan = planned(picture, order);
  if (plan === null) return 0;
  const { scale, ...result } = plan;
  const restores =
    order.mode === 'DOCUMENT' ||
    [order.noiseReductionProfilingMode, order.artifactsDetectionRemoval, order.enhanceFaceDetails].some(
      (each) => each !== 'OFF',
    );
  const format = order.outputFormat === 'AUTO' ? picture.mimetype : order.outputFormat;
  const isAvif = format === 'AVIF' || format === 'image/avif';
  return (
    megapixels(picture) * (restores ? COSTS.restoration : 1) +
    (scale > 1 && order.engineTier === 'DETAIL' ? megapixels(picture) * COSTS.detail : 0) +
    megapixels(result) * ((scale > 1 ? COSTS.enlargement : 0) + (isAvif ? COSTS.avif : 0))
  );
}

/** @returns null for a target that the engine refuses before any work */
function planned(picture: Picture, order: ImageParameters): SizePlan | null {
  try {
    return planSize(picture, order);
  } catch {
    return null;
  }
}
