import { deflate } from 'node:zlib';
import { promisify } from 'node:util';
import { readJpegTables } from '../../image/codecs/jpeg.ts';
import { isLight, type Picture } from '../../image/picture.ts';
import { MAX_JPEG_SIDE, MAX_OUTPUT_PIXELS } from '../../../domain/enhancement/result-size.ts';
import { MAX_RAW_BYTES, MAX_SIDE } from '../../limits.ts';
import type { ImageFacts } from './image-facts.ts';
import { EDGE_STEPS, withCoarseEdges } from './coarse-edges.ts';
import { boundedCoding, encodeJpeg, type JpegCoding } from './jpeg-coding.ts';
import { openPicture } from './open-jpeg.ts';
import { byPalette } from './page-palette.ts';
import type { Paletted } from './palette.ts';
import { packBits, packSamples } from './unpack-samples.ts';

export interface EncodedImage {
  data: Buffer;
  width: number;
  height: number;
  bits: 1 | 2 | 4 | 8 | 16;
  channels: number;
  filter: 'DCTDecode' | 'FlateDecode' | 'CCITTFaxDecode';
  /** The filter has the PNG predictor */
  predictor: boolean;
  palette?: string;
  /** Samples keep the meaning of the source: colour space and `Decode` stay */
  keepsMeaning?: true;
  /** For CCITT group 4: the sample 1 is black */
  blackIs1?: boolean;
}

/** Progress of a coding without loss when the edges are rounded; the compression follows. */
const EDGES_ROUNDED = 0.3;

/** Keeps the quality of a lossy source within a range: not much worse than it was, nor needlessly better. */
const JPEG_QUALITY = { min: 75, max: 95, unknown: 90, drawing: 85 };

const isLossy = ({ encoding }: ImageFacts): boolean => encoding === 'DCTDecode' || encoding === 'JPXDecode';

/** Returns the maximum side of an image's result, pixels. */
export function maxSideFor(image: ImageFacts): number {
  return isLossy(image) ? MAX_JPEG_SIDE : MAX_SIDE;
}

/** Returns the maximum pixels of an image's result: 16-bit samples take twice the memory. */
export function maxPixelsFor({ bits, color }: ImageFacts): number {
  const channels = 'base' in color ? color.base.components : Math.max(1, color.components);
  return Math.min(MAX_OUTPUT_PIXELS, Math.floor(MAX_RAW_BYTES / (channels * (bits > 8 ? 2 : 1))));
}

export interface EncodeOptions {
  /** Data in the source's own coding, for the estimate of its quality */
  source: Buffer;
  scale?: number;
  /** The result is photographic, so coding may add an error within a limit */
  photograph?: boolean;
  /** The result is an enlarged drawing: its edges may be rounded where they are coded without loss */
  drawn?: boolean;
  /** Chroma keeps its full size, so that thin strokes keep their colour; the source decides by default */
  wholeChroma?: boolean;
  /** A clean page in few colours, which may replace the picture where a palette is smaller than a JPEG */
  reduced?: Picture;
  /** Requested JPEG quality, 1 to 100, for results that may be JPEG */
  quality?: number;
  /** Reports the progress of a coding without loss, 0 to 1: a large drawing takes seconds */
  onPart?: ((part: number) => void) | undefined;
}

/**
 * Encodes a result: lossy sources as JPEG with their quality and chroma subsampling, everything else losslessly. An
 * enlarged photograph becomes a JPEG of the lowest quality within the error limit. A page or an enlarged drawing of few
 * colours gets a palette, whatever their sources were. A requested quality overrides the quality of every JPEG.
 */
export async function encodeImage(
  picture: Picture,
  image: ImageFacts,
  {
    source,
    scale = 1,
    photograph = false,
    drawn = false,
    wholeChroma = false,
    reduced,
    quality,
    onPart,
  }: EncodeOptions,
): Promise<EncodedImage> {
  const { width, height, channels } = picture;
  const shape = { width, height, channels };
  const few = reduced && mayHavePalette(image) ? await byPalette(reduced) : undefined;
  if (few?.bits !== undefined && few.bits < 8) return withPalette(picture, few);
  const coding = await chooseJpegCoding(picture, image, { source, scale, photograph, wholeChroma }, quality);
  if (coding) {
    const data = await encodeJpeg(picture, coding);
    if (few && few.data.length < data.length) return withPalette(picture, few);
    return { ...shape, data, bits: 8, filter: 'DCTDecode', predictor: false };
  }
  if (few) return withPalette(picture, few);
  const bits = picture.data instanceof Uint16Array ? 16 : 8;
  if (channels !== 1 && channels !== 3)
    return {
      ...shape,
      data: await promisify(deflate)(bigEndian(picture), { level: 9 }),
      bits,
      filter: 'FlateDecode',
      predictor: false,
    };
  const coded = drawn && bits === 8 ? withCoarseEdges(picture, EDGE_STEPS.drawing) : picture;
  onPart?.(EDGES_ROUNDED);
  const plain: EncodedImage = {
    ...shape,
    data: await encodePredicted(coded),
    bits,
    filter: 'FlateDecode',
    predictor: true,
  };
  const { family } = image.color;
  const isDrawing = drawn && family === 'rgb' && bits === 8 && image.decode === 'plain';
  if (family !== 'indexed' && !(isDrawing && width * height <= THOROUGH_PIXELS)) return plain;
  const paletted = await byPalette(coded);
  return paletted && paletted.data.length < plain.data.length ? withPalette(picture, paletted) : plain;
}

/** @returns undefined when the samples are coded losslessly */
async function chooseJpegCoding(
  picture: Picture,
  image: ImageFacts,
  {
    source,
    scale,
    photograph,
    wholeChroma,
  }: Required<Pick<EncodeOptions, 'source' | 'scale' | 'photograph' | 'wholeChroma'>>,
  asked: number | undefined,
): Promise<JpegCoding | undefined> {
  const { min, max, unknown, drawing } = JPEG_QUALITY;
  const tables = readJpegTables(source);
  const quality = asked ?? (tables ? Math.min(max, Math.max(min, tables.quality)) : unknown);
  const subsampled = !wholeChroma && (tables?.subsampled ?? false);
  if (scale > 1 && (photograph || isLossy(image)) && mayBeJpeg(picture)) {
    if (asked !== undefined) return { quality, subsampled: subsampled || scale >= 2 };
    const range = { least: photograph ? 0 : drawing, most: isLossy(image) ? quality : max };
    // After an enlargement of 2, chroma has no detail that half its size would lose. Other images from JPEG keep it, so that
    // they never need more bytes than with the quality of their source.
    const isDrawnJpeg = !photograph && image.encoding === 'DCTDecode';
    const halved = isDrawnJpeg ? [subsampled] : subsampled || scale >= 2 ? [true, false] : [false];
    const bounded = await boundedCoding(picture, range, halved);
    if (bounded) return bounded;
  }
  return isLossy(image) ? { quality, subsampled } : undefined;
}

function mayBeJpeg({ data, width, height, space }: Picture): boolean {
  return isLight({ space }) && !(data instanceof Uint16Array) && Math.max(width, height) <= MAX_JPEG_SIDE;
}

/** Whether a palette of the visible colours can replace the samples. */
const mayHavePalette = ({ color: { family } }: ImageFacts): boolean =>
  family === 'indexed' || family === 'grey' || family === 'rgb';

function withPalette({ width, height, channels }: Picture, { entries, ...coded }: Paletted): EncodedImage {
  const palette = Buffer.from(entries.filter((_, i) => i % 3 < channels)).toString('hex');
  return { ...coded, width, height, channels: 1, filter: 'FlateDecode', palette };
}

/**
 * Encodes the opacity of an image losslessly: as a soft mask of 8 bits, or as a stencil mask of one bit, which paints
 * at 0.
 */
export async function encodeMask(mask: Picture, kind: 'soft' | 'stencil'): Promise<EncodedImage> {
  const { width, height } = mask;
  const shape = { width, height, channels: 1, filter: 'FlateDecode' } as const;
  if (kind === 'soft') {
    const fine = { ...shape, data: await encodePredicted(mask), bits: 8, predictor: true } as const;
    const levels = inSixteenLevels(mask);
    if (levels === undefined) return fine;
    const data = await promisify(deflate)(levels, { level: 9, memLevel: 9 });
    return data.length < fine.data.length ? { ...shape, data, bits: 4, predictor: false } : fine;
  }
  const rows = packBits(mask, (opacity) => opacity < 128);
  return { ...shape, data: await promisify(deflate)(rows), bits: 1, predictor: false };
}

/** @returns rows of 4 bits; undefined for a mask with other levels, such as those of a soft shadow */
function inSixteenLevels({ data, ...size }: Picture): Buffer | undefined {
  const levels = data.map((value) => Math.round(value / EDGE_STEPS.mask));
  const isNear = levels.every((level, at) => Math.abs(level * EDGE_STEPS.mask - data[at]!) <= 1);
  return isNear ? packSamples(size, 4, (at) => levels[at]!) : undefined;
}

/** Up to this number of pixels, the encoder tries several codings and keeps the smallest. */
const THOROUGH_PIXELS = 8_000_000;

/** Returns deflated rows with PNG filters: the IDAT chunks of a PNG, which FlateDecode reads with predictor 15. */
async function encodePredicted(picture: Picture): Promise<Buffer> {
  if (picture.width * picture.height > THOROUGH_PIXELS) return extractImageData(picture, 6, true);
  const filtered = await extractImageData(picture, 9, true);
  const plain = await extractImageData(picture, 9, false);
  return plain.length < filtered.length ? plain : filtered;
}

async function extractImageData(
  picture: Picture,
  compressionLevel: number,
  adaptiveFiltering: boolean,
): Promise<Buffer> {
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
