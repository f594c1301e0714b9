import sharp from 'sharp';
import { readPngChunks } from '../../image/codecs/png-chunks.ts';
import type { Picture } from '../../image/picture.ts';
import { section, type OnPart } from '../../image/progress.ts';
import { deflatePacked } from './deflate-rows.ts';
import { encodeJbig2 } from './jbig2-encoder.ts';
import { MEASURED_PIXELS, sampleBands } from './sample-bands.ts';

/** Bits of an index into a palette. */
const BIT_DEPTHS = [1, 2, 4, 8] as const;

/** Up to this number of pixels, two colours are tried in JBIG2, which takes about a second. */
const JBIG2_PIXELS = 64_000_000;

/** Palette index of every pixel, coded without loss. */
export interface Paletted {
  data: Buffer;
  bits: 1 | 2 | 4 | 8;
  /** Three bytes for each colour */
  entries: Buffer;
  filter: 'FlateDecode' | 'JBIG2Decode';
  /** Rows have PNG filters */
  predictor: boolean;
}

/** Maximum error of quantisation, of 255: the mean over all samples and over those of a tile, and that of any sample. */
const MAX_ERROR = { mean: 0.6, tile: 1.5, most: 48 };
/** Side of a tile, pixels: a small photograph on a large even ground counts by itself. */
const TILE = 32;

/**
 * Reduces a picture to at most 256 colours; drawings can have so few even after an enlargement.
 * @param picture 8-bit grey or RGB
 * @returns undefined when the difference would be visible
 */
export async function quantised(picture: Picture, onPart?: OnPart): Promise<Paletted | undefined> {
  if (picture.width * picture.height > MEASURED_PIXELS) return quantisedInBands(picture, onPart);
  const png = await toPalettePng(picture);
  const parts = readPaletted(png);
  if (parts === undefined) return undefined;
  const back = await sharp(png, { limitInputPixels: false }).toColourspace('srgb').removeAlpha().raw().toBuffer();
  const error = sumErrors(picture, back);
  return error !== undefined && error <= MAX_ERROR.mean * back.length ? parts : undefined;
}

function toPalettePng({ data, width, height, channels }: Picture): Promise<Buffer> {
  return sharp(data, { raw: { width, height, channels: channels as 1 | 3 }, limitInputPixels: false })
    .toColourspace('srgb')
    .png({ palette: true, colours: 256, dither: 0, compressionLevel: 9 })
    .toBuffer();
}

/** Rows of a band, in whole tiles. */
const BAND_ROWS = 16 * TILE;

/** Chooses the colours of a large picture by a sample, and gives each pixel the nearest one. */
async function quantisedInBands(picture: Picture, onPart: OnPart): Promise<Paletted | undefined> {
  const { data, width, height, channels } = picture;
  const entries = readPaletted(await toPalettePng(sampleBands(picture)))?.entries;
  if (entries === undefined) return undefined;
  const nearest = nearestEntry(entries);
  const indexes = new Uint8Array(width * height);
  const mapping = section(onPart, 0, 0.5);
  let sum = 0;
  for (let top = 0; top < height; top += BAND_ROWS) {
    const rows = Math.min(BAND_ROWS, height - top);
    const [from, to] = [top * width, (top + rows) * width];
    const band = { ...picture, height: rows, data: data.subarray(from * channels, to * channels) };
    const rgb = Buffer.alloc(rows * width * 3);
    for (let i = 0, at = 0, out = 0; i < rows * width; i += 1, at += channels, out += 3) {
      const [green, blue] = channels === 1 ? [at, at] : [at + 1, at + 2];
      const index = nearest((band.data[at]! << 16) | (band.data[green]! << 8) | band.data[blue]!);
      indexes[from + i] = index;
      for (let c = 0; c < 3; c += 1) rgb[out + c] = entries[3 * index + c]!;
    }
    const errors = sumErrors(band, rgb);
    if (errors === undefined) return undefined;
    sum += errors;
    mapping(top / height);
  }
  if (sum > MAX_ERROR.mean * indexes.length * 3) return undefined;
  return packIndexes({ ...picture, data: indexes }, entries, section(onPart, 0.5, 1));
}

/**
 * Codes the palette index of every pixel in as few bits as the palette needs.
 * @param indexed the size of the picture, and an index for each pixel
 */
export async function packIndexes(
  { data, width, height }: Pick<Picture, 'data' | 'width' | 'height'>,
  entries: Buffer,
  onPart?: OnPart,
): Promise<Paletted> {
  const bits = BIT_DEPTHS.find((each) => entries.length / 3 <= 2 ** each)!;
  const indexed: Picture = { data, width, height, channels: 1, space: 'grey', hasAlpha: false };
  const isOneBit = bits === 1 && data.length <= JBIG2_PIXELS;
  const packing = section(onPart, 0, isOneBit ? 0.3 : 1);
  const packed = await deflatePacked(indexed, bits, (index) => index, packing);
  const deflated = { data: packed, bits, entries, filter: 'FlateDecode', predictor: false } as const;
  const coded = isOneBit ? inJbig2(indexed, entries, section(onPart, 0.3, 1)) : deflated;
  return coded.data.length < packed.length ? coded : deflated;
}

/** Codes a picture of two colours: the darker one is the black of JBIG2, which its filter decodes to 0. */
function inJbig2({ data, width, height }: Picture, entries: Buffer, onPart: OnPart): Paletted {
  const weight = (index: number): number =>
    entries.subarray(3 * index, 3 * index + 3).reduce((sum, each) => sum + each, 0);
  const dark = entries.length > 3 && weight(1) < weight(0) ? 1 : 0;
  const bitmap = { data: Uint8Array.from(data, (index) => (index === dark ? 1 : 0)), width, height };
  const inOrder = dark === 0 ? entries : Buffer.concat([entries.subarray(3), entries.subarray(0, 3)]);
  return { data: encodeJbig2(bitmap, onPart), bits: 1, entries: inOrder, filter: 'JBIG2Decode', predictor: false };
}

/** Finds the nearest colour of a palette, once for each colour. */
function nearestEntry(entries: Buffer): (colour: number) => number {
  const UNKNOWN = -1;
  const known = new Int16Array(1 << 24).fill(UNKNOWN);
  const find = (colour: number): number => {
    let [best, least] = [0, Infinity];
    for (let at = 0; at < entries.length; at += 3) {
      const [red, green, blue] = [
        (colour >> 16) - entries[at]!,
        ((colour >> 8) & 255) - entries[at + 1]!,
        (colour & 255) - entries[at + 2]!,
      ];
      const distance = red * red + green * green + blue * blue;
      if (distance < least) [best, least] = [at / 3, distance];
    }
    return best;
  };
  return (colour) => {
    if (known[colour] === UNKNOWN) known[colour] = find(colour);
    return known[colour]!;
  };
}

/** Returns the header, palette and data of a PNG; undefined when it has no palette. */
function readPaletted(png: Buffer): Paletted | undefined {
  const [BIT_DEPTH, COLOUR_TYPE, PALETTE] = [24, 25, 3];
  const bits = png[BIT_DEPTH];
  if (png[COLOUR_TYPE] !== PALETTE || (bits !== 1 && bits !== 2 && bits !== 4 && bits !== 8)) return undefined;
  const data: Buffer[] = [];
  let entries = Buffer.alloc(0);
  for (const chunk of readPngChunks(png)) {
    if (chunk.type === 'IDAT') data.push(chunk.data);
    else if (chunk.type === 'PLTE') entries = Buffer.from(chunk.data);
    else if (chunk.type === 'tRNS') return undefined;
  }
  return { data: Buffer.concat(data), bits, entries, filter: 'FlateDecode', predictor: true };
}

/** Sums the errors of all samples. @returns undefined when one, or those of a tile, would be visible */
function sumErrors({ data, width, height, channels }: Picture, rgb: Buffer): number | undefined {
  const across = Math.ceil(width / TILE);
  let sum = 0;
  for (let top = 0; top < height; top += TILE) {
    const tiles = new Uint32Array(across);
    const bottom = Math.min(height, top + TILE);
    for (let y = top, at = top * width; y < bottom; y += 1) {
      for (let x = 0; x < width; x += 1, at += 1) {
        for (let c = 0; c < 3; c += 1) {
          const error = Math.abs(data[at * channels + (channels === 1 ? 0 : c)]! - rgb[at * 3 + c]!);
          if (error > MAX_ERROR.most) return undefined;
          tiles[Math.floor(x / TILE)]! += error;
        }
      }
    }
    if (tiles.some((errors) => errors > MAX_ERROR.tile * 3 * TILE * (bottom - top))) return undefined;
    sum += tiles.reduce((total, errors) => total + errors, 0);
  }
  return sum;
}
