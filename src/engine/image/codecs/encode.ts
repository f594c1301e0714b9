import { rm, open } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { OutputFormat } from '../../../domain/upload/media.ts';
import { Failure } from '../../../domain/failures.ts';
import { MAX_OUTPUT_PIXELS } from '../../limits.ts';
import type { JpegTables } from './jpeg.ts';
import { OUTPUT_CODECS, type JpegCoding, type OutputCodec } from './output-formats.ts';
import type { ImageFacts } from './source.ts';
import { cmykTiff } from './cmyk-tiff.ts';
import type { Metadata, Insertion } from '../metadata/metadata.ts';
import type { Picture } from '../picture.ts';
import { decoderFailure } from './sharp.ts';

/** Quality without a source to follow: no visible loss at a moderate size. */
const DEFAULT_QUALITY = 90;
/** Bounds of the quality that a source sets: lower would undo its repair, and higher would waste bytes. */
const FOLLOWED_QUALITY = { min: 80, max: 95 };

/** Uses the quality asked for, else the source's. Chroma stays full where the source has it, or where the quality asks for it. */
export function jpegCoding(source: JpegTables | undefined, asked: number | undefined): JpegCoding {
  const { min, max } = FOLLOWED_QUALITY;
  const quality = asked ?? (source ? Math.min(max, Math.max(min, source.quality)) : DEFAULT_QUALITY);
  const full = source ? !source.subsampled : quality >= DEFAULT_QUALITY;
  return { quality, chromaSubsampling: full ? '4:4:4' : '4:2:0' };
}

/**
 * Refuses a result that is too large, before anything is decoded.
 * @throws Failure TOO_MANY_PIXELS
 */
export function assertOutputSize(facts: ImageFacts, scale: number, format: OutputFormat): void {
  const [width, height] = [facts.width * scale, facts.height * scale];
  const size = `The result would have ${width} × ${height} pixels`;
  const field = scale > 1 ? { field: 'upscalingFactor' } : {};
  if (width * height > MAX_OUTPUT_PIXELS) {
    const detail = `${size}; at most ${MAX_OUTPUT_PIXELS / 1e6} million are allowed.`;
    throw new Failure('TOO_MANY_PIXELS', { detail, ...field });
  }
  const { maxSide, maxPixels } = OUTPUT_CODECS[format];
  if (width * height > maxPixels) {
    const detail = `${size}; an ${format} has at most ${maxPixels / 1e6} million. Ask for another format.`;
    throw new Failure('TOO_MANY_PIXELS', { detail, field: 'outputFormat' });
  }
  if (Math.max(width, height) > maxSide) {
    const larger = Object.entries(OUTPUT_CODECS).flatMap(([name, codec]) => (codec.maxSide > maxSide ? [name] : []));
    const detail = `${size}; a ${format} has at most ${maxSide} a side. Ask for ${larger.join(' or ')}.`;
    throw new Failure('TOO_MANY_PIXELS', { detail, ...field });
  }
}

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

/**
 * Copies an encoded file without metadata to `to`, with metadata. sharp converts pixels to a profile that it attaches, and
 * rebuilds EXIF, so it attaches neither.
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
