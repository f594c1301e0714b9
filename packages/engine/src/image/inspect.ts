import { readFile } from 'node:fs/promises';
import { decodeUndamaged, openReduced } from './codecs/reported-damage.ts';
import { decoderFailure } from './codecs/sharp.ts';
import { readSource, type ImageFacts } from './codecs/source.ts';
import { withVisibleAlpha } from './codecs/visible-alpha.ts';

export type { ImageFacts } from './codecs/source.ts';

/**
 * Returns the facts of an image file and checks that all its pixels decode: a truncated or damaged file fails here, before any
 * payment. JPEG is decoded at an eighth of its size, which still reads every byte.
 * @throws EngineError UNSUPPORTED_MEDIA_TYPE, TOO_MANY_PIXELS, CORRUPT_FILE
 */
export async function inspectImage(path: string): Promise<ImageFacts> {
  const source = await readSource(path);
  const { facts } = source;
  if (facts.mimetype === 'image/heic') {
    const { withHeic } = await import('./codecs/heic.ts');
    await withHeic(await readFile(path), (image) => void image.decode());
    return facts;
  }
  if (facts.mimetype === 'image/bmp') {
    const { decodeBmp } = await import('./codecs/bmp.ts');
    decodeBmp(await readFile(path));
    return facts;
  }
  await decodeUndamaged(source, (failOn, heard) =>
    openReduced(source, path, failOn).on('warning', heard).toBuffer(),
  ).catch((error: unknown) => Promise.reject(decoderFailure(error)));
  return (await withVisibleAlpha(source)).facts;
}
