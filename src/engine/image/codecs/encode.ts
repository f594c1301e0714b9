import { rm } from 'node:fs/promises';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { cmykTiff } from './cmyk-tiff.ts';
import { embedMetadata } from '../metadata/embed-metadata.ts';
import type { Metadata } from '../metadata/metadata.ts';
import type { JpegCoding, OutputFormat } from './output-format.ts';
import type { Picture } from '../picture.ts';
import { decoderFailure } from './sharp.ts';

export interface EncodeOptions {
  format: OutputFormat;
  jpeg: JpegCoding;
  metadata: Metadata;
}

/**
 * Writes a picture to a file in its own colours. JPEG has neither alpha nor 16 bits: alpha is laid on white, and samples
 * are cut to 8 bits.
 */
export async function encode(picture: Picture, path: string, { format, jpeg, metadata }: EncodeOptions): Promise<void> {
  const bare = `${path}.bare`;
  const image =
    format === 'jpeg' && picture.hasAlpha ? wrap(picture).flatten({ background: '#ffffff' }) : wrap(picture);
  try {
    await withFormat(inOwnColours(image, picture, format), format, jpeg, metadata.density).toFile(bare);
    await embedMetadata(format, bare, path, metadata);
  } catch (error) {
    await Promise.all([bare, path].map((file) => rm(file, { force: true })));
    throw decoderFailure(error);
  }
}

function wrap(picture: Picture): Sharp {
  const { data, width, height, channels, space } = picture;
  // Our own pixels need no guard against bombs.
  if (space === 'cmyk') return sharp(cmykTiff(picture), { limitInputPixels: false, unlimited: true });
  const raw = { width, height, channels: channels as 1 | 2 | 3 | 4 };
  return sharp(data, { raw, limitInputPixels: false });
}

function inOwnColours(image: Sharp, { space, data }: Picture, format: OutputFormat): Sharp {
  const deep = data instanceof Uint16Array && format !== 'jpeg';
  if (space === 'cmyk') return image.pipelineColourspace('cmyk').toColourspace('cmyk');
  if (space === 'grey') return image.toColourspace(deep ? 'grey16' : 'b-w');
  return image.toColourspace(deep ? 'rgb16' : 'srgb');
}

function withFormat(image: Sharp, format: OutputFormat, jpeg: JpegCoding, density: number | undefined): Sharp {
  if (format === 'jpeg') return image.jpeg({ ...jpeg, optimiseCoding: true });
  if (format === 'png') return image.png({ compressionLevel: 6 });
  const resolution = density ? { xres: density / 25.4, yres: density / 25.4, resolutionUnit: 'inch' as const } : {};
  return image.tiff({ compression: 'lzw', predictor: 'horizontal', ...resolution });
}
