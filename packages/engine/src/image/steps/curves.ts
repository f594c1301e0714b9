import { colourChannels, emptySamples, maxSample, type Picture } from '../picture.ts';

/** A colour transform: a curve for each channel, then a saturation factor around each pixel's own grey. */
export interface ColourChange {
  /** Curves from 0..1 to 0..1, one for grey, three for RGB */
  curves: ((value: number) => number)[];
  /** 1 keeps the saturation, 0 gives grey */
  saturation: number;
}

/**
 * Decodes an sRGB value to linear light, both 0..1 (IEC 61966-2-1). Display P3 has the same curve, other RGB a similar
 * one.
 */
export function linearLight(coded: number): number {
  return coded <= 0.04045 ? coded / 12.92 : ((coded + 0.055) / 1.055) ** 2.4;
}

export function codedLight(linear: number): number {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
}

/** Luma weights of Rec. 709 for gamma-coded values. */
export const LUMA = [0.2126, 0.7152, 0.0722] as const;

/** Applies a colour transform to every pixel in place, by lookup tables. Alpha does not change. Not for CMYK. */
export function applyColourChange(picture: Picture, { curves, saturation }: ColourChange): void {
  const max = maxSample(picture);
  const tables = curves.map((curve) => Float32Array.from({ length: max + 1 }, (_, v) => clamp01(curve(v / max)) * max));
  if (saturation === 1 || colourChannels(picture) === 1) applyTables(picture, tables);
  else applySaturation(picture, tables as [Float32Array, Float32Array, Float32Array], saturation, max);
}

/** Tables of integer samples avoid rounding each sample, which takes half of the time. */
function applyTables(picture: Picture, tables: Float32Array[]): void {
  const { data, channels } = picture;
  const whole = tables.map((table) => {
    const samples = emptySamples(picture, table.length);
    for (let v = 0; v < table.length; v += 1) samples[v] = table[v]! + 0.5;
    return samples;
  });
  const [red, green = red, blue = red] = whole as [Uint8Array, Uint8Array, Uint8Array];
  if (whole.length === 1) {
    for (let i = 0; i < data.length; i += channels) data[i] = red[data[i]!]!;
    return;
  }
  for (let i = 0; i < data.length; i += channels) {
    data[i] = red[data[i]!]!;
    data[i + 1] = green[data[i + 1]!]!;
    data[i + 2] = blue[data[i + 2]!]!;
  }
}

function applySaturation(
  { data, channels }: Picture,
  [red, green, blue]: [Float32Array, Float32Array, Float32Array],
  saturation: number,
  max: number,
): void {
  for (let i = 0; i < data.length; i += channels) {
    const r = red[data[i]!]!;
    const g = green[data[i + 1]!]!;
    const b = blue[data[i + 2]!]!;
    const grey = LUMA[0] * r + LUMA[1] * g + LUMA[2] * b;
    const stretch = saturation > 1 ? withinRange(grey, r, g, b, saturation, max) : saturation;
    data[i] = grey + (r - grey) * stretch + 0.5;
    data[i + 1] = grey + (g - grey) * stretch + 0.5;
    data[i + 2] = grey + (b - grey) * stretch + 0.5;
  }
}

/** Limits the saturation factor so that no channel clips, which would shift the hue. */
function withinRange(grey: number, r: number, g: number, b: number, stretch: number, max: number): number {
  const above = (r > g ? (r > b ? r : b) : g > b ? g : b) - grey;
  const below = grey - (r < g ? (r < b ? r : b) : g < b ? g : b);
  let limit = stretch;
  if (above * limit > max - grey) limit = (max - grey) / above;
  if (below * limit > grey) limit = grey / below;
  return limit > 1 ? limit : 1;
}

function clamp01(value: number): number {
  return value < 0 ? 0 : value > 1 ? 1 : value;
}
