import { MAX_JPEG_SIDE, MAX_OUTPUT_PIXELS } from '@burnish/contract/engine';
import { readJpegTables } from '../../image/codecs/jpeg.ts';
import { isLight, type Picture } from '../../image/picture.ts';
import { type OnPart, section } from '../../image/progress.ts';
import { MAX_RAW_BYTES, MAX_SIDE } from '../../limits.ts';
import type { ImageFacts } from './image-facts.ts';
import { EDGE_STEPS, coarsenEdges } from './coarse-edges.ts';
import { deflatePacked, deflatePredicted, deflateSamples, THOROUGH_PIXELS } from './deflate-rows.ts';
import { boundedCoding, encodeJpeg, type JpegCoding } from './jpeg-coding.ts';
import { type Paletted, packIndexes, quantised } from './palette.ts';

export interface EncodedImage {
  data: Buffer;
  width: number;
  height: number;
  bits: 1 | 2 | 4 | 8 | 16;
  channels: number;
  filter: 'DCTDecode' | 'FlateDecode' | 'JBIG2Decode';
  /** The filter has the PNG predictor */
  predictor: boolean;
  palette?: string;
}

/** Progress of a coding without loss when the edges are rounded, and when a palette was tried, which mostly ends that of a large picture. */
const [EDGES_ROUNDED, PALETTE_CHOSEN, LARGE_PALETTE_CHOSEN] = [0.3, 0.7, 0.95];
/** Up to this number of pixels, the memory for the indices of a palette is within what its samples leave. */
const PALETTE_PIXELS = 64_000_000;

/** Keeps the quality of a lossy source within a range: not much worse than it was, nor needlessly better. */
const JPEG_QUALITY = { min: 75, max: 95, unknown: 90, drawing: 85 };

const isLossy = ({ encoding, color }: ImageFacts): boolean =>
  encoding === 'DCTDecode' || (encoding === 'JPXDecode' && color.family !== 'indexed');

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
  onPart?: OnPart;
}

/**
 * Encodes a result: lossy sources as JPEG with their quality and chroma subsampling, everything else losslessly. An
 * enlarged photograph becomes a JPEG of the lowest quality within the error limit. A page or an enlarged drawing of few
 * colours gets a palette, whatever their sources were. A requested quality overrides the quality of every JPEG.
 * @param picture the edges of an enlarged drawing change in place
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
      data: await deflateSamples(picture, onPart),
      bits,
      filter: 'FlateDecode',
      predictor: false,
    };
  if (drawn && bits === 8) coarsenEdges(picture, EDGE_STEPS.drawing, section(onPart, 0, EDGES_ROUNDED));
  const { family } = image.color;
  const isDrawing = drawn && family === 'rgb' && bits === 8 && image.decode === 'plain';
  const pixels = width * height;
  const triesPalette = family === 'indexed' || (isDrawing && pixels <= PALETTE_PIXELS);
  const isLarge = pixels > THOROUGH_PIXELS;
  const middle = !triesPalette ? EDGES_ROUNDED : isLarge ? LARGE_PALETTE_CHOSEN : PALETTE_CHOSEN;
  const paletted = triesPalette ? await byPalette(picture, section(onPart, EDGES_ROUNDED, middle)) : undefined;
  // Samples of a large picture take seconds to compress, and would hardly ever be smaller than their palette.
  if (paletted && isLarge) return withPalette(picture, paletted);
  const plain: EncodedImage = {
    ...shape,
    data: await deflatePredicted(picture, section(onPart, middle, 1)),
    bits,
    filter: 'FlateDecode',
    predictor: true,
  };
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
  return { ...coded, width, height, channels: 1, palette };
}

/**
 * Encodes the opacity of an image losslessly: as a soft mask of 8 bits, or of 4 bits with at most 16 levels, or as a
 * stencil mask of one bit, which paints at 0.
 */
export async function encodeMask(mask: Picture, kind: 'soft' | 'stencil', onPart?: OnPart): Promise<EncodedImage> {
  const { width, height } = mask;
  const shape = { width, height, channels: 1, filter: 'FlateDecode' } as const;
  if (kind === 'soft') {
    // A soft shadow has other levels.
    const hasLevels = mask.data.every((opacity) => LEVELS[opacity] !== undefined);
    const isLarge = width * height > THOROUGH_PIXELS;
    const packing = section(onPart, 0, isLarge ? 1 : 0.5);
    const packed = hasLevels ? await deflatePacked(mask, 4, (opacity) => LEVELS[opacity]!, packing) : undefined;
    const coarse = packed && ({ ...shape, data: packed, bits: 4, predictor: false } as const);
    if (coarse && isLarge) return coarse;
    const data = await deflatePredicted(mask, section(onPart, coarse ? 0.5 : 0, 1));
    return coarse && packed.length < data.length ? coarse : { ...shape, data, bits: 8, predictor: true };
  }
  const data = await deflatePacked(mask, 1, (opacity) => (opacity < 128 ? 1 : 0), onPart);
  return { ...shape, data, bits: 1, predictor: false };
}

/** The level of each opacity that differs from one of 16 levels by at most 1. */
const LEVELS = Array.from({ length: 256 }, (_, opacity) => {
  const level = Math.round(opacity / EDGE_STEPS.mask);
  return Math.abs(level * EDGE_STEPS.mask - opacity) <= 1 ? level : undefined;
});

const MOST_COLOURS = 256;

/**
 * Codes a clean page or a drawing of few colours by a palette, which needs fewer bytes than its samples, and makes no noise
 * around letters as a JPEG does.
 * @param picture 8-bit grey or RGB
 * @returns undefined when 256 colours would differ visibly from the picture
 */
async function byPalette(picture: Picture, onPart?: OnPart): Promise<Paletted | undefined> {
  return (await exactPalette(picture, onPart)) ?? quantised(picture, onPart);
}

/** @returns undefined when the picture has more colours than a palette */
async function exactPalette({ data, width, height, channels }: Picture, onPart: OnPart): Promise<Paletted | undefined> {
  const places = new Map<number, number>();
  const indices = new Uint8Array(width * height);
  const entries: number[] = [];
  const second = channels === 3 ? 1 : 0;
  for (let at = 0, from = 0; at < indices.length; at += 1, from += channels) {
    const rgb = [data[from]!, data[from + second]!, data[from + channels - 1]!] as const;
    const colour = (rgb[0] << 16) | (rgb[1] << 8) | rgb[2];
    let place = places.get(colour);
    if (place === undefined) {
      if (places.size === MOST_COLOURS) return undefined;
      place = places.size;
      places.set(colour, place);
      entries.push(...rgb);
    }
    indices[at] = place;
  }
  return packIndexes({ data: indices, width, height }, Buffer.from(entries), onPart);
}
