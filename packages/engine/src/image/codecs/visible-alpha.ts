import { decoderFailure, openImage } from './sharp.ts';
import type { ImageSource } from './source.ts';

/**
 * Returns a WebP whose alpha is opaque at every pixel as one without alpha: many programs write such files, and only real transparency
 * decides the format of a result. Other sources return as they are.
 * @throws EngineError CORRUPT_FILE
 */
export async function withVisibleAlpha(source: ImageSource): Promise<ImageSource> {
  const { facts, path, page, maxPixels } = source;
  if (facts.mimetype !== 'image/webp' || !facts.hasAlpha) return source;
  const { isOpaque } = await openImage(path, { page, limitInputPixels: maxPixels, ignoreIcc: true })
    .stats()
    .catch((error: unknown) => Promise.reject(decoderFailure(error)));
  return isOpaque ? { ...source, facts: { ...facts, hasAlpha: false } } : source;
}
