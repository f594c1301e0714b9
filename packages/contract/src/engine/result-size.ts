import { EngineError } from './engine-error.ts';
import { mediaKind, resolveOutputFormat, type FormatFacts, type OutputFormat } from './media.ts';
import { planSize, targetField } from './target-size.ts';
import { resolveImageParameters, type EnhancementParameters } from './parameters.ts';

/** Maximum pixels of a result: 60 megapixels doubled, 15 quadrupled. More takes minutes, and few programs open the file. */
export const MAX_OUTPUT_PIXELS = 250_000_000;

/** JPEG stores its sides in 16 bits; libjpeg reserves some of the values. */
export const MAX_JPEG_SIDE = 65_500;

/** WebP stores its sides in 14 bits (RFC 6386, 9.1). */
const MAX_WEBP_SIDE = 16_383;

/** Longest side of a preview, pixels. The header of a WebP of 100 megapixels is small enough for any picture. */
export const MAX_PREVIEW_SIDE = 10_000;

interface SizeLimit {
  /** Longest side in pixels */
  maxSide: number;
  maxPixels: number;
}

const SIZE_LIMITS: Record<OutputFormat, SizeLimit> = {
  JPEG: { maxSide: MAX_JPEG_SIDE, maxPixels: MAX_OUTPUT_PIXELS },
  PNG: { maxSide: Number.POSITIVE_INFINITY, maxPixels: MAX_OUTPUT_PIXELS },
  TIFF: { maxSide: Number.POSITIVE_INFINITY, maxPixels: MAX_OUTPUT_PIXELS },
  // libheif writes no longer side. Encoding AV1 takes many times longer than JPEG, and several copies of the picture: 40
  // megapixels with alpha at quality 100 take 2.1 GB of a child's 2.5 and about 5 minutes of a loaded machine.
  AVIF: { maxSide: 16_384, maxPixels: 40_000_000 },
  // libwebp copies a picture with alpha: 50 megapixels of noise take 2.2 GB. From about 200 megapixels, its header is too large.
  WEBP: { maxSide: MAX_WEBP_SIDE, maxPixels: 50_000_000 },
};

/**
 * Rejects an image whose result would be too large. A PDF passes: its images count one by one.
 * @param file its type and transparency, and its size in pixels
 * @throws EngineError TOO_MANY_PIXELS, BAD_USER_INPUT with the field
 */
export function assertResultSize(
  file: FormatFacts & { width: number; height: number },
  given: EnhancementParameters,
): void {
  // A record without pixels has not been inspected.
  if (mediaKind(file.mimetype) === 'pdf' || file.width === 0) return;
  const parameters = resolveImageParameters(given);
  const format = resolveOutputFormat(file, parameters.outputFormat);
  const { scale, width, height } = planSize(file, parameters);
  const size = `The result would have ${width} × ${height} pixels`;
  const target = targetField(parameters);
  const field = target === undefined && scale === 1 ? {} : { field: target ?? 'upscalingFactor' };
  if (target !== undefined && file.width * file.height * scale ** 2 > MAX_OUTPUT_PIXELS) {
    const detail = `The image is enlarged ${scale} times before it gets the target size; at most ${MAX_OUTPUT_PIXELS / 1e6} million pixels are allowed. Choose a smaller target.`;
    throw new EngineError('TOO_MANY_PIXELS', { detail, ...field });
  }
  if (width * height > MAX_OUTPUT_PIXELS) {
    const detail = `${size}; at most ${MAX_OUTPUT_PIXELS / 1e6} million are allowed.`;
    throw new EngineError('TOO_MANY_PIXELS', { detail, ...field });
  }
  const { maxSide, maxPixels } = SIZE_LIMITS[format];
  if (width * height > maxPixels) {
    const detail = `${size}; a result in ${format} has at most ${maxPixels / 1e6} million. Ask for another format.`;
    throw new EngineError('TOO_MANY_PIXELS', { detail, field: 'outputFormat' });
  }
  if (Math.max(width, height) > maxSide) {
    const larger = Object.entries(SIZE_LIMITS).flatMap(([name, limit]) => (limit.maxSide > maxSide ? [name] : []));
    const detail = `${size}; a ${format} has at most ${maxSide} a side. Ask for ${larger.join(' or ')}.`;
    throw new EngineError('TOO_MANY_PIXELS', { detail, ...field });
  }
}
