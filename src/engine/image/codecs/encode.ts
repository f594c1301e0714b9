import { rm } from 'node:fs/promises';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import type { OutputFormat } from '../../../domain/enhancement/output-formats.ts';
import { cmykTiff } from './cmyk-tiff.ts';
import { embedMetadata } from '../metadata/embed-metadata.ts';
import type { Metadata } from '../metadata/metadata.ts';
import { OUTPUT_CODECS, type JpegCoding } from './output-formats.ts';
import type { Picture } from '../picture.ts';
import { decoderFailure } from './sharp.ts';

export interface EncodeOptions {
  format: OutputFormat;
  jpeg: JpegCoding;
  metadata: Metadata;
}

/**
 * Writes a picture to a file in its own colours. A format without alpha gets white behind the picture; a format without
 * 16 bits gets samples of 8.
 */
export async function encode(picture: Picture, path: string, { format, jpeg, metadata }: EncodeOptions): Promise<void> {
  const bare = `${path}.bare`;
  const tagged = `${path}.tagged`;
  const codec = OUTPUT_CODECS[format];
  const opaque = picture.hasAlpha && !codec.holdsAlpha;
  const image = opaque ? wrap(picture).flatten({ background: '#ffffff' }) : wrap(picture);
  try {
    const deep = picture.data instanceof Uint16Array && codec.holds16Bits;
    const own = inOwnColours(image, picture, deep);
    if (codec.by === undefined) {
      await codec.encode(own, jpeg, metadata.density).toFile(bare);
      await embedMetadata(codec, bare, path, metadata);
    } else {
      await own.png({ compressionLevel: 0 }).toFile(bare);
      await embedMetadata(OUTPUT_CODECS[codec.by], bare, tagged, metadata);
      // The profile is carried along, never applied.
      const tag = sharp(tagged, { ignoreIcc: true, limitInputPixels: false, unlimited: true });
      // libvips adds an EXIF of its own, with the resolution, unless only the profile is kept.
      const carrier = metadata.exif || metadata.xmp ? tag.keepMetadata() : tag.keepIccProfile();
      await codec.encode(carrier, jpeg, metadata.density).toFile(path);
      await rm(tagged);
    }
  } catch (error) {
    await Promise.all([bare, tagged, path].map((file) => rm(file, { force: true })));
    throw decoderFailure(error);
  }
}

function wrap(picture: Picture): Sharp {
  const { data, width, height, channels, space } = picture;
  // These pixels come from our decoder: they need no limit.
  if (space === 'cmyk') return sharp(cmykTiff(picture), { limitInputPixels: false, unlimited: true });
  const raw = { width, height, channels: channels as 1 | 2 | 3 | 4 };
  return sharp(data, { raw, limitInputPixels: false });
}

function inOwnColours(image: Sharp, { space }: Picture, deep: boolean): Sharp {
  if (space === 'cmyk') return image.pipelineColourspace('cmyk').toColourspace('cmyk');
  if (space === 'grey') return image.toColourspace(deep ? 'grey16' : 'b-w');
  return image.toColourspace(deep ? 'rgb16' : 'srgb');
}
