import type { Picture } from '../../image/picture.ts';
import { pictureSpace, type ColorSpace, type IndexedSpace } from './color-space.ts';
import type { ImageFacts } from './image-facts.ts';

/**
 * Unpacks samples of 1 to 16 bits (ISO 32000-1 section 8.9.3) into a picture. Fewer than 8 bits are scaled to 8, and
 * palette indices become colours.
 * @returns undefined when more than the last row is missing
 */
export function unpackSamples(data: Buffer, { width, height, bits, color }: ImageFacts): Picture | undefined {
  const components = color.components;
  const rowBytes = Math.ceil((width * components * bits) / 8);
  if (data.length < rowBytes * (height - 1) || components === 0) return undefined;
  const whole = data.length >= rowBytes * height ? data : Buffer.concat([data], rowBytes * height);
  if ('base' in color) {
    const indexes = bits === 8 ? whole : spread(whole, width, height, bits, 1);
    return lookUp(indexes, { width, height }, color);
  }
  const shape = { width, height, ...toPictureKind(color, components) };
  if (bits === 16) return { data: wide(whole, width * height * components), ...shape };
  if (bits === 8) return { data: whole.subarray(0, width * height * components), ...shape };
  return { data: spread(whole, width * components, height, bits, 255 / ((1 << bits) - 1)), ...shape };
}

function toPictureKind(color: ColorSpace, channels: number): Pick<Picture, 'channels' | 'space' | 'hasAlpha'> {
  return { channels, space: pictureSpace(color, channels), hasAlpha: false };
}

/** Unpacks samples of 1, 2 or 4 bits to one byte each; rows are padded to bytes. */
function spread(data: Buffer, samplesPerRow: number, rows: number, bits: number, factor: number): Uint8Array {
  const out = new Uint8Array(samplesPerRow * rows);
  const rowBytes = Math.ceil((samplesPerRow * bits) / 8);
  const mask = (1 << bits) - 1;
  for (let row = 0, to = 0; row < rows; row += 1) {
    for (let i = 0; i < samplesPerRow; i += 1, to += 1) {
      const bit = i * bits;
      out[to] = ((data[row * rowBytes + (bit >> 3)]! >> (8 - bits - (bit & 7))) & mask) * factor;
    }
  }
  return out;
}

function wide(data: Buffer, samples: number): Uint16Array {
  const out = new Uint16Array(samples);
  for (let i = 0; i < samples; i += 1) out[i] = (data[2 * i]! << 8) | data[2 * i + 1]!;
  return out;
}

/** Returns the colours of palette indices; an index beyond the palette has its last colour. */
export function lookUp(
  indexes: Picture['data'],
  { width, height }: Pick<Picture, 'width' | 'height'>,
  { base, palette }: IndexedSpace,
): Picture {
  const { components } = base;
  const out = new Uint8Array(width * height * components);
  const last = palette.length / components - 1;
  for (let i = 0; i < width * height; i += 1) {
    const entry = Math.min(indexes[i]!, last) * components;
    for (let c = 0; c < components; c += 1) out[i * components + c] = palette[entry + c]!;
  }
  return { data: out, width, height, ...toPictureKind(base, components) };
}

/**
 * Packs samples of 1, 2, 4 or 8 bits; rows are padded to bytes.
 * @param valueAt the value of a pixel by its index, below 2 to the power of `bits`
 */
export function packSamples(
  { width, height }: Pick<Picture, 'width' | 'height'>,
  bits: number,
  valueAt: (at: number) => number,
): Buffer {
  const rowBytes = Math.ceil((width * bits) / 8);
  const rows = Buffer.alloc(rowBytes * height);
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1)
      rows[y * rowBytes + ((x * bits) >> 3)]! |= valueAt(at) << (8 - bits - ((x * bits) & 7));
  return rows;
}
