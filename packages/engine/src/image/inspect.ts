import { readFile } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { refuseDamage } from './codecs/reported-damage.ts';
import { decoderFailure, openImage } from './codecs/sharp.ts';
import { readSource, type ImageFacts, type ImageSource } from './codecs/source.ts';
import { withVisibleAlpha } from './codecs/visible-alpha.ts';

export type { ImageFacts } from './codecs/source.ts';

/**
 * Returns the facts of an image file and checks that all its pixels decode: a truncated or damaged file fails here, before any
 * payment. JPEG is decoded at an eighth of its size, which still reads every byte.
 * @throws EngineError UNSUPPORTED_MEDIA_TYPE, TOO_MANY_PIXELS, CORRUPT_FILE
 */
export async function inspectImage(path: string): Promise<ImageFacts> {
  return (await inspectSource(path)).facts;
}

/** The same, with the header for an enhancement. */
export async function inspectSource(path: string): Promise<ImageSource> {
  const source = await readSource(path);
  const { facts, page } = source;
  if (facts.mimetype === 'image/heic') {
    const { withHeic } = await import('./codecs/heic.ts');
    await withHeic(await readFile(path), (image) => void image.decode());
    return source;
  }
  if (facts.mimetype === 'image/bmp') {
    const { decodeBmp } = await import('./codecs/bmp.ts');
    decodeBmp(await readFile(path));
    return source;
  }
  const width = Math.max(1, Math.ceil(facts.width / 8));
  const open = (file: string | Uint8Array): Sharp =>
    openImage(file, { page, ignoreIcc: true }).resize({ width, kernel: 'nearest', fastShrinkOnLoad: true }).raw();
  await refuseDamage(source, open).catch((error: unknown) => Promise.reject(decoderFailure(error)));
  return await withVisibleAlpha(source);
}
