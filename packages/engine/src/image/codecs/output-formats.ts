import sharp, { type Sharp } from 'sharp';
import { rm, open } from 'node:fs/promises';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { OUTPUT_FORMAT_FACTS, type OutputFormat } from '@burnish/contract/engine';
import type { Insertion, Metadata } from '../metadata/metadata.ts';
import { jpegSegments, type JpegTables } from './jpeg.ts';
import { pngChunks } from './png-chunks.ts';
import { appendTiffTags } from './tiff-tags.ts';
import { appendWebpChunks, webpHead } from './webp-chunks.ts';
import { cmykTiff } from './cmyk-tiff.ts';
import type { Picture } from '../picture.ts';
import { encoderFailure } from './sharp.ts';

/** Chroma subsampling and quality of a format with losses. */
export interface JpegCoding {
  /** 1 to 100 */
  quality: number;
  chromaSubsampling: '4:2:0' | '4:4:4';
  /** Whether a WebP must keep every sample */
  lossless: boolean;
}

export interface OutputCodec {
  /** Whether the format supports samples of 16 bits */
  holds16Bits: boolean;
  holdsCmyk: boolean;
  /** The encoder moves EXIF to other offsets, so its MakerNote must be omitted */
  movesExif: boolean;
  holdsPngColour: boolean;
  encode(image: Sharp, jpeg: JpegCoding, picture: { density: number | undefined; pixels: number }): Sharp;
  /** Inserts profile, EXIF and XMP near the start of the encoded file. @param head its first 4,096 bytes */
  insert?(head: Uint8Array, metadata: Metadata): Insertion;
  append?(path: string, metadata: Metadata): Promise<void>;
  /**
   * An intermediate format, for an encoder that takes metadata from its input: the picture first becomes a file of this
   * format, with metadata
   */
  by?: OutputFormat;
}

/** Up to this number of pixels, libjpeg may keep all coefficients in memory, 6 bytes a pixel, to make the file a few percent smaller. */
const THOROUGH_PIXELS = 64_000_000;

export const OUTPUT_CODECS: Record<OutputFormat, OutputCodec> = {
  JPEG: {
    holds16Bits: false,
    holdsCmyk: true,
    movesExif: false,
    holdsPngColour: false,
    encode: (image, { quality, chromaSubsampling }, { pixels }) =>
      image.jpeg({ quality, chromaSubsampling, optimiseCoding: pixels <= THOROUGH_PIXELS }),
    insert: jpegSegments,
  },
  PNG: {
    holds16Bits: true,
    holdsCmyk: false,
    movesExif: false,
    holdsPngColour: true,
    encode: (image) => image.png({ compressionLevel: 6 }),
    insert: pngChunks,
  },
  TIFF: {
    holds16Bits: true,
    holdsCmyk: true,
    movesExif: true,
    holdsPngColour: false,
    encode: (image, _, { density }) =>
      image.tiff({ compression: 'lzw', predictor: 'horizontal', ...resolution(density) }),
    append: appendTiffTags,
  },
  AVIF: {
    holds16Bits: false,
    holdsCmyk: false,
    movesExif: false,
    holdsPngColour: false,
    // Effort 2 of 9: each further level costs much time and saves few bytes.
    encode: (image, { quality, chromaSubsampling }) => image.avif({ quality, chromaSubsampling, effort: 2 }),
    by: 'PNG',
  },
  WEBP: {
    holds16Bits: false,
    holdsCmyk: false,
    movesExif: false,
    holdsPngColour: false,
    // With losses, libwebp always subsamples chroma; `smartSubsample` preserves colour edges. Without losses, effort 0 takes no more
    // CPU than that.
    encode: (image, { quality, chromaSubsampling, lossless }) =>
      lossless
        ? image.webp({ lossless, effort: 0 })
        : image.webp({ quality, smartSubsample: chromaSubsampling === '4:4:4', effort: 4 }),
    insert: webpHead,
    append: appendWebpChunks,
  },
};

function resolution(density: number | undefined): { xres?: number; yres?: number; resolutionUnit?: 'inch' } {
  if (!density) return {};
  // sharp expects pixels per millimetre.
  return { xres: density / 25.4, yres: density / 25.4, resolutionUnit: 'inch' };
}

/** Quality without a source as reference: no visible loss at a moderate size. */
const DEFAULT_QUALITY = 90;
/** Range of the quality taken from a source: a lower one would undo its repair, and a higher one would waste bytes. */
const FOLLOWED_QUALITY = { min: 80, max: 95 };

/**
 * Uses the requested quality, or that of the source. Chroma keeps its full size if the source has it, or if the quality
 * requires it.
 * @param strict whether the coding must lose as little as possible, unless the request has a quality
 */
export function jpegCoding(source: JpegTables | undefined, asked: number | undefined, strict = false): JpegCoding {
  const { min, max } = FOLLOWED_QUALITY;
  if (strict) return { quality: asked ?? max, chromaSubsampling: '4:4:4', lossless: asked === undefined };
  const quality = asked ?? (source ? Math.min(max, Math.max(min, source.quality)) : DEFAULT_QUALITY);
  const full = source ? !source.subsampled : quality >= DEFAULT_QUALITY;
  return { quality, chromaSubsampling: full ? '4:4:4' : '4:2:0', lossless: false };
}

export interface EncodeOptions {
  format: OutputFormat;
  jpeg: JpegCoding;
  metadata: Metadata;
}

/**
 * Writes a picture to a file in its own colour space. Formats without alpha get a white background; formats without 16
 * bits get samples of 8 bits.
 */
export async function encode(picture: Picture, path: string, { format, jpeg, metadata }: EncodeOptions): Promise<void> {
  const bare = `${path}.bare`;
  const tagged = `${path}.tagged`;
  const codec = OUTPUT_CODECS[format];
  const facts = { density: metadata.density, pixels: picture.width * picture.height };
  const opaque = picture.hasAlpha && !OUTPUT_FORMAT_FACTS[format].holdsAlpha;
  const image = opaque ? wrap(picture).flatten({ background: '#ffffff' }) : wrap(picture);
  try {
    const deep = picture.data instanceof Uint16Array && codec.holds16Bits;
    const own = inOwnColours(image, picture, deep);
    if (codec.by === undefined) {
      await codec.encode(own, jpeg, facts).toFile(bare);
      await embedMetadata(codec, bare, path, metadata);
    } else {
      await own.png({ compressionLevel: 0 }).toFile(bare);
      await embedMetadata(OUTPUT_CODECS[codec.by], bare, tagged, metadata);
      // The profile is copied and never applied.
      const tag = sharp(tagged, { ignoreIcc: true, limitInputPixels: false, unlimited: true });
      // libvips adds its own EXIF with the resolution, unless it keeps only the profile.
      const carrier = metadata.exif || metadata.xmp ? tag.keepMetadata() : tag.keepIccProfile();
      await codec.encode(carrier, jpeg, facts).toFile(path);
      await rm(tagged);
    }
  } catch (error) {
    await Promise.all([bare, tagged, path].map((file) => rm(file, { force: true })));
    throw encoderFailure(error);
  }
}

function wrap(picture: Picture): Sharp {
  const { data, width, height, channels, space } = picture;
  // These pixels come from the engine's own decoder and need no limit.
  if (space === 'cmyk') return sharp(cmykTiff(picture), { limitInputPixels: false, unlimited: true });
  const raw = { width, height, channels: channels as 1 | 2 | 3 | 4 };
  return sharp(data, { raw, limitInputPixels: false });
}

function inOwnColours(image: Sharp, { space }: Picture, deep: boolean): Sharp {
  if (space === 'cmyk') return image.pipelineColourspace('cmyk').toColourspace('cmyk');
  if (space === 'grey') return image.toColourspace(deep ? 'grey16' : 'b-w');
  return image.toColourspace(deep ? 'rgb16' : 'srgb');
}

/**
 * Copies an encoded file without metadata to `to`, with metadata. sharp does not attach the metadata, since it converts
 * pixels to an attached profile and rebuilds EXIF.
 * @param from the encoded file; this function removes it
 */
async function embedMetadata(
  { insert, append }: Pick<OutputCodec, 'insert' | 'append'>,
  from: string,
  to: string,
  metadata: Metadata,
): Promise<void> {
  const head = await readHead(from);
  const { at, skip, bytes } = insert?.(head, metadata) ?? NOTHING;
  await pipeline(async function* () {
    yield head.subarray(0, at);
    yield bytes;
    yield* createReadStream(from, { start: at + skip });
  }, createWriteStream(to));
  await rm(from);
  await append?.(to, metadata);
}

const NOTHING: Insertion = { at: 0, skip: 0, bytes: new Uint8Array() };

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
