import { deflate } from 'node:zlib';
import { promisify } from 'node:util';
import { readJpegTables } from '../../image/codecs/jpeg.ts';
import { isLight, type Picture } from '../../image/picture.ts';
import { MAX_JPEG_SIDE, MAX_OUTPUT_PIXELS, MAX_RAW_BYTES, MAX_SIDE } from '../../limits.ts';
import type { ImageFacts } from './image-facts.ts';
import { boundedCoding, encodeJpeg, type JpegCoding } from './jpeg-coding.ts';
import { openPicture } from './open-jpeg.ts';
import { quantised } from './palette.ts';
import { packBits } from './unpack-samples.ts';

/** The data of an image object and what its dictionary has to say of it. */
export interface EncodedImage {
  data: Buffer;
  width: number;
  height: number;
  bits: 1 | 2 | 4 | 8 | 16;
  channels: number;
  filter: 'DCTDecode' | 'FlateDecode' | 'CCITTFaxDecode';
  /** PNG's predictor, where the filter has one */
  predictor: boolean;
  /** Colours that the samples are places of, in the base of the space that the image had: hexadecimal */
  palette?: string;
  /** Samples mean what those of the source meant: colour space and `Decode` stay */
  keepsMeaning?: true;
  /** Of CCITT group 4: its black is the sample 1 */
  blackIs1?: boolean;
}

/** A lossy source is not coded much worse than it was, nor needlessly better. */
const JPEG_QUALITY = { min: 75, max: 95, unknown: 90, drawing: 85 };

const isLossy = ({ encoding }: ImageFacts): boolean => encoding === 'DCTDecode' || encoding === 'JPXDecode';

/** Longest side that the result of an image may have, pixels. */
export function maxSideOf(image: ImageFacts): number {
  return isLossy(image) ? MAX_JPEG_SIDE : MAX_SIDE;
}

/** Most pixels that the result of an image may have: 16-bit samples take twice the memory. */
export function maxPixelsOf({ bits, color }: ImageFacts): number {
  const channels = 'base' in color ? color.base.components : Math.max(1, color.components);
  return Math.min(MAX_OUTPUT_PIXELS, Math.floor(MAX_RAW_BYTES / (channels * (bits > 8 ? 2 : 1))));
}

/** Facts of a result beside its samples. */
export interface EncodeOptions {
  /** Data of the source's own coding, which is read for its quality */
  source: Buffer;
  /** A new palette may be written; as a string, it would have to be encrypted */
  palettes?: boolean;
  /** How often larger than its source it is */
  scale?: number;
  /** It is photographic: coding may add an error that stays within a bound */
  photograph?: boolean;
  /** JPEG quality that was asked for, 1 to 100, for results that may be JPEG */
  quality?: number;
}

/**
 * Codes a result: lossy sources as JPEG, with their quality and chroma; everything else without loss. An enlarged photograph becomes a
 * JPEG of the lowest quality whose error stays within a bound, whatever its source was. A quality that was asked for replaces both.
 */
export async function encodeImage(
  picture: Picture,
  image: ImageFacts,
  { source, palettes = false, scale = 1, photograph = false, quality }: EncodeOptions,
): Promise<EncodedImage> {
  const { width, height, channels } = picture;
  const shape = { width, height, channels };
  const coding = await jpegCodingOf(picture, image, { source, scale, photograph }, quality);
  if (coding)
    return { ...shape, data: await encodeJpeg(picture, coding), bits: 8, filter: 'DCTDecode', predictor: false };
  const bits = picture.data instanceof Uint16Array ? 16 : 8;
  if (channels !== 1 && channels !== 3)
    return {
      ...shape,
      data: await promisify(deflate)(bigEndian(picture), { level: 9 }),
      bits,
      filter: 'FlateDecode',
      predictor: false,
    };
  const plain: EncodedImage = {
    ...shape,
    data: await encodePredicted(picture),
    bits,
    filter: 'FlateDecode',
    predictor: true,
  };
  if (!palettes || image.color.family !== 'indexed') return plain;
  const paletted = await encodePaletted(picture);
  return paletted && paletted.data.length < plain.data.length ? paletted : plain;
}

/** @returns undefined where the samples are coded without loss */
async function jpegCodingOf(
  picture: Picture,
  image: ImageFacts,
  { source, scale, photograph }: Required<Pick<EncodeOptions, 'source' | 'scale' | 'photograph'>>,
  asked: number | undefined,
): Promise<JpegCoding | undefined> {
  const { min, max, unknown, drawing } = JPEG_QUALITY;
  const tables = readJpegTables(source);
  const quality = asked ?? (tables ? Math.min(max, Math.max(min, tables.quality)) : unknown);
  const subsampled = tables?.subsampled ?? false;
  if (scale > 1 && (photograph || image.encoding === 'JPXDecode') && mayBeJpeg(picture)) {
    if (asked !== undefined) return { quality, subsampled: subsampled || scale >= 2 };
    const range = { least: photograph ? 0 : drawing, most: isLossy(image) ? quality : max };
    // Enlarged twice, colour differences have no detail that half their size would lose.
    const bounded = await boundedCoding(picture, range, subsampled || scale >= 2);
    if (bounded) return bounded;
  }
  return isLossy(image) ? { quality, subsampled } : undefined;
}

function mayBeJpeg({ data, width, height, space }: Picture): boolean {
  return isLight({ space }) && !(data instanceof Uint16Array) && Math.max(width, height) <= MAX_JPEG_SIDE;
}

/** Few colours stay few, where that cannot be seen. */
async function encodePaletted(picture: Picture): Promise<EncodedImage | undefined> {
  const { width, height, channels } = picture;
  const found = await quantised(picture);
  if (found === undefined) return undefined;
  const { data, bits, entries } = found;
  const palette = Buffer.from(entries.filter((_, i) => i % 3 < channels)).toString('hex');
  return { data, width, height, bits, channels: 1, filter: 'FlateDecode', predictor: true, palette };
}

/** Codes the opacity of an image without loss: as a soft mask of 8 bits, or as a stencil of one, where it paints at 0. */
export async function encodeMask(mask: Picture, kind: 'soft' | 'stencil'): Promise<EncodedImage> {
  const { width, height } = mask;
  const shape = { width, height, channels: 1, filter: 'FlateDecode' } as const;
  if (kind === 'soft') return { ...shape, data: await encodePredicted(mask), bits: 8, predictor: true };
  const rows = packBits(mask, (opacity) => opacity < 128);
  return { ...shape, data: await promisify(deflate)(rows), bits: 1, predictor: false };
}

/** Pixels up to which the smallest of several codings is looked for. */
const THOROUGH_PIXELS = 8_000_000;

/** Deflated rows with PNG's filters, which is what FlateDecode with predictor 15 reads: the IDAT chunks of a PNG. */
async function encodePredicted(picture: Picture): Promise<Buffer> {
  if (picture.width * picture.height > THOROUGH_PIXELS) return imageDataOf(picture, 6, true);
  const filtered = await imageDataOf(picture, 9, true);
  const plain = await imageDataOf(picture, 9, false);
  return plain.length < filtered.length ? plain : filtered;
}

async function imageDataOf(picture: Picture, compressionLevel: number, adaptiveFiltering: boolean): Promise<Buffer> {
  const png = await openPicture(picture).png({ compressionLevel, adaptiveFiltering, palette: false }).toBuffer();
  const parts: Buffer[] = [];
  for (let at = 8; at + 8 <= png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return Buffer.concat(parts);
}

function bigEndian({ data }: Picture): Buffer {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return data instanceof Uint16Array ? Buffer.from(bytes).swap16() : bytes;
}
