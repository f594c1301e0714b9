import { LUMA } from './curves.ts';
import { colourChannels, maxSample } from './picture.ts';
import type { Picture } from './picture.ts';

/** About this many pixels a side are looked at. */
const GRID = 200;
/** An icon or a swatch of fewer pixels says nothing of its light. */
const LEAST_PIXELS = 1000;
/** Order of the Minkowski norm of shades of grey (Finlayson and Trezzi, 2004). */
const NORM = 6;
/** Pixels whose channels lie this close, in parts of the largest, may be grey things under a coloured light. */
const NEAR_NEUTRAL = 0.3;

/** What a picture looks like as a whole; all values are 0..1. */
export interface ToneStatistics {
  /** Luma that half a percent of the pixels lie below, that half lie below, that half a percent lie above */
  low: number;
  median: number;
  high: number;
  /** Colour of the light by the near-neutral pixels, by channel, mean 1; and the part of the pixels that says so */
  light: [number, number, number];
  neutralPart: number;
  /** Mean distance of the largest from the smallest channel */
  colourfulness: number;
}

/** Looks at a grid of small averages, so that noise does not count. Nothing for a picture with hardly any opaque pixels. */
export function toneStatistics(picture: Picture): ToneStatistics | undefined {
  const pixels = thumbnail(picture);
  const count = pixels.length / 3;
  if (count < LEAST_PIXELS) return undefined;
  const luma = new Float32Array(count);
  const sums = [0, 0, 0];
  let neutral = 0;
  let colourfulness = 0;
  for (let i = 0; i < count; i += 1) {
    const [r, g, b] = [pixels[3 * i]!, pixels[3 * i + 1]!, pixels[3 * i + 2]!];
    luma[i] = LUMA[0] * r + LUMA[1] * g + LUMA[2] * b;
    const largest = Math.max(r, g, b);
    const smallest = Math.min(r, g, b);
    colourfulness += largest - smallest;
    if (largest > 0.97 || smallest < 0.04 || largest - smallest > NEAR_NEUTRAL * largest) continue;
    neutral += 1;
    sums[0]! += r ** NORM;
    sums[1]! += g ** NORM;
    sums[2]! += b ** NORM;
  }
  luma.sort();
  const at = (part: number): number => luma[Math.round((count - 1) * part)]!;
  const norms = sums.map((sum) => (sum / Math.max(1, neutral)) ** (1 / NORM));
  const mean = norms.reduce((a, b) => a + b, 0) / 3 || 1;
  return {
    low: at(0.005),
    median: at(0.5),
    high: at(0.995),
    light: neutral === 0 ? [1, 1, 1] : (norms.map((norm) => norm / mean) as [number, number, number]),
    neutralPart: neutral / count,
    colourfulness: colourfulness / count,
  };
}

/** Red, green and blue, 0..1, of the cells of a grid, each the mean of up to 3×3 samples; cells with transparent pixels are left out. */
function thumbnail(picture: Picture): Float32Array {
  const { data, width, height, channels, hasAlpha } = picture;
  const max = maxSample(picture);
  const [across, down] = [Math.min(GRID, width), Math.min(GRID, height)];
  const [green, blue] = colourChannels(picture) === 1 ? [0, 0] : [1, 2];
  const pixels = new Float32Array(across * down * 3);
  let length = 0;
  for (let j = 0; j < down; j += 1) {
    const y0 = Math.floor((j * height) / down);
    const y1 = Math.floor(((j + 1) * height) / down);
    const stepY = Math.ceil((y1 - y0) / 3);
    for (let i = 0; i < across; i += 1) {
      const x0 = Math.floor((i * width) / across);
      const x1 = Math.floor(((i + 1) * width) / across);
      const stepX = Math.ceil((x1 - x0) / 3);
      let [r, g, b, count, opaque] = [0, 0, 0, 0, true];
      for (let y = y0; y < y1; y += stepY) {
        for (let x = x0; x < x1; x += stepX) {
          const k = (y * width + x) * channels;
          r += data[k]!;
          g += data[k + green]!;
          b += data[k + blue]!;
          if (hasAlpha && data[k + channels - 1]! < max / 2) opaque = false;
          count += 1;
        }
      }
      if (!opaque) continue;
      pixels[length] = r / count / max;
      pixels[length + 1] = g / count / max;
      pixels[length + 2] = b / count / max;
      length += 3;
    }
  }
  return pixels.subarray(0, length);
}
