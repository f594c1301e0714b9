import sharp from 'sharp';
import type { Picture } from '../../image/picture.ts';

/** Palette index of every pixel, deflated. */
export interface Paletted {
  data: Buffer;
  bits: 1 | 2 | 4 | 8;
  /** Three bytes for each colour */
  entries: Buffer;
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
export async function quantised(picture: Picture): Promise<Paletted | undefined> {
  const { data, width, height, channels } = picture;
  const png = await sharp(data, { raw: { width, height, channels: channels as 1 | 3 }, limitInputPixels: false })
    .toColourspace('srgb')
    .png({ palette: true, colours: 256, dither: 0, compressionLevel: 9 })
    .toBuffer();
  const parts = readPaletted(png);
  if (parts === undefined) return undefined;
  const back = await sharp(png, { limitInputPixels: false }).toColourspace('srgb').removeAlpha().raw().toBuffer();
  return isNear(picture, back) ? parts : undefined;
}

/** Returns the header, palette and data of a PNG; undefined when it has no palette. */
function readPaletted(png: Buffer): Paletted | undefined {
  const [BIT_DEPTH, COLOUR_TYPE, PALETTE] = [24, 25, 3];
  const bits = png[BIT_DEPTH];
  if (png[COLOUR_TYPE] !== PALETTE || (bits !== 1 && bits !== 2 && bits !== 4 && bits !== 8)) return undefined;
  const data: Buffer[] = [];
  let entries = Buffer.alloc(0);
  for (let at = 8; at + 8 <= png.length;) {
    const length = png.readUInt32BE(at);
    const chunk = png.subarray(at + 8, at + 8 + length);
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') data.push(chunk);
    else if (type === 'PLTE') entries = Buffer.from(chunk);
    else if (type === 'tRNS') return undefined;
    at += 12 + length;
  }
  return { data: Buffer.concat(data), bits, entries, predictor: true };
}

function isNear({ data, width, height, channels }: Picture, rgb: Buffer): boolean {
  const across = Math.ceil(width / TILE);
  let sum = 0;
  for (let top = 0; top < height; top += TILE) {
    const tiles = new Uint32Array(across);
    const bottom = Math.min(height, top + TILE);
    for (let y = top, at = top * width; y < bottom; y += 1) {
      for (let x = 0; x < width; x += 1, at += 1) {
        for (let c = 0; c < 3; c += 1) {
          const error = Math.abs(data[at * channels + (channels === 1 ? 0 : c)]! - rgb[at * 3 + c]!);
          if (error > MAX_ERROR.most) return false;
          tiles[Math.floor(x / TILE)]! += error;
        }
      }
    }
    if (tiles.some((errors) => errors > MAX_ERROR.tile * 3 * TILE * (bottom - top))) return false;
    sum += tiles.reduce((total, errors) => total + errors, 0);
  }
  return sum <= MAX_ERROR.mean * rgb.length;
}
