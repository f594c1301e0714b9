import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { MAX_OUTPUT_PIXELS, MAX_PREVIEW_SIDE } from '@burnish/contract/engine';
import { decodeBmp } from './codecs/bmp.ts';
import { cmykTiff } from './codecs/cmyk-tiff.ts';
import type { Picture } from './picture.ts';
import { pngChunks } from './codecs/png-chunks.ts';
import { decoderFailure, openImage } from './codecs/sharp.ts';
import { detectMimetype } from './codecs/source.ts';
import { readTiffDirectory } from './codecs/tiff-directory.ts';

export interface PreviewImageInput {
  /** Local path of an image of any supported type, an original or a result */
  inputPath: string;
  outputPath: string;
  /** Longest side, pixels; null for the picture's own size */
  side: number | null;
}

/**
 * Makes a small copy of an image for browsers: upright, in sRGB, never larger than the image.
 * @throws EngineError CORRUPT_FILE, UNSUPPORTED_MEDIA_TYPE, TOO_MANY_PIXELS
 */
export async function previewImage({ inputPath, outputPath, side }: PreviewImageInput): Promise<void> {
  try {
    const mimetype = await detectMimetype(inputPath);
    const { page } = mimetype === 'image/tiff' ? await readTiffDirectory(inputPath) : { page: 0 };
    const image =
      mimetype === 'image/heic'
        ? await openHeic(inputPath, side)
        : mimetype === 'image/bmp'
          ? openPicture(decodeBmp(await readFile(inputPath)))
          : openImage(inputPath, { page, limitInputPixels: MAX_OUTPUT_PIXELS }).autoOrient();
    await writePreview(image, side, outputPath);
  } catch (error) {
    throw decoderFailure(error);
  }
}

export async function writePreview(image: Sharp, side: number | null, outputPath: string): Promise<void> {
  await shrunk(image, side)
    .toColourspace('srgb')
    // Below effort 2, libwebp does not shorten a header that becomes too large, as of 60 megapixels of noise.
    .webp({ quality: side === null ? 92 : 82, effort: 2 })
    .toFile(outputPath);
}

/** Opens decoded samples of 8 bits with sharp. */
export function openPicture(picture: Picture): Sharp {
  const { data, width, height, channels, space } = picture;
  const options = { limitInputPixels: MAX_OUTPUT_PIXELS, unlimited: true };
  if (space === 'cmyk') return sharp(cmykTiff(picture), options);
  return sharp(data, { ...options, raw: { width, height, channels: channels as 1 | 2 | 3 | 4 } });
}

function shrunk(image: Sharp, side: number | null): Sharp {
  const longest = Math.min(side ?? MAX_PREVIEW_SIDE, MAX_PREVIEW_SIDE);
  return image.resize(longest, longest, { fit: 'inside', withoutEnlargement: true });
}

/** libheif returns pixels and profile separately. A PNG combines them, so that the profile is applied. */
async function openHeic(path: string, side: number | null): Promise<Sharp> {
  const { withHeic } = await import('./codecs/heic.ts');
  const { picture, icc } = await withHeic(await readFile(path), (image) => ({
    picture: image.decode(),
    icc: image.icc,
  }));
  const small = shrunk(openPicture(picture), side);
  if (icc === undefined) return sharp(await small.png({ compressionLevel: 1 }).toBuffer());
  const png = await small.png({ compressionLevel: 1 }).toBuffer();
  const { at, skip, bytes } = pngChunks(png, { icc, exif: undefined, xmp: undefined, density: undefined });
  return sharp(Buffer.concat([png.subarray(0, at), bytes, png.subarray(at + skip)]));
}
