import sharp from 'sharp';
import type { Picture } from '../../image/picture.ts';

/** Palette index of every pixel, as rows with PNG filters. */
export interface Paletted {
  data: Buffer;
  bits: 1 | 2 | 4 | 8;
  entries: Buffer;
}

/** Maximum error of quantisation, of 255: the mean over all samples, and the maximum of any sample. */
const MAX_ERROR = { mean: 0.6, most: 12 };

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
  return { data: Buffer.concat(data), bits, entries };
}

function isNear({ data, channels }: Picture, rgb: Buffer): boolean {
  let sum = 0;
  for (let i = 0; i < rgb.length; i += 1) {
    const from = channels === 1 ? Math.floor(i / 3) : i;
    const error = Math.abs(data[from]! - rgb[i]!);
    if (error > MAX_ERROR.most) return false;
    sum += error;
  }
  return sum <= MAX_ERROR.mean * rgb.length;
}
