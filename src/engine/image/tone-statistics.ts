import { LUMA } from './curves.ts';
import { lightColour } from './light-colour.ts';
import type { LightColour } from './light-colour.ts';
import { colourChannels, maxSample } from './picture.ts';
import type { Picture } from './picture.ts';

/** About this many pixels a side are looked at. */
const GRID = 200;
/** An icon or a swatch of fewer pixels says nothing of its light. */
const LEAST_PIXELS = 1000;

/** A picture of which so many of the looks fall on one of four colours is a drawing: its colours are meant as they are. */
const DRAWN_PART = 0.6;

/** What a picture looks like as a whole; values are coded, 0..1. */
export interface ToneStatistics {
  /** The smallest channel of a pixel that half a percent of the pixels lie below: where black begins */
  low: number;
  /** Luma that half of the pixels lie below */
  median: number;
  /** The largest channel of a pixel that half a percent of the pixels lie above: where white, or a full colour, ends */
  high: number;
  light: LightColour;
  /** Mean distance of the largest from the smallest channel */
  colourfulness: number;
}

/** Looks at a grid of small averages, so that noise does not count. Nothing for a picture with hardly any opaque pixels, and for a drawing of few colours. */
export function toneStatistics(picture: Picture): ToneStatistics | undefined {
  const pixels = thumbnail(picture);
  const count = pixels.length / 3;
  if (count < LEAST_PIXELS || isDrawn(pixels)) return undefined;
  const [luma, largest, smallest] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)];
  let colourfulness = 0;
  for (let i = 0; i < count; i += 1) {
    const [r, g, b] = [pixels[3 * i]!, pixels[3 * i + 1]!, pixels[3 * i + 2]!];
    luma[i] = LUMA[0] * r + LUMA[1] * g + LUMA[2] * b;
    largest[i] = Math.max(r, g, b);
    smallest[i] = Math.min(r, g, b);
    colourfulness += largest[i]! - smallest[i]!;
  }
  return {
    low: percentile(smallest, 0.005),
    median: percentile(luma, 0.5),
    high: percentile(largest, 0.995),
    light: lightColour(pixels),
    colourfulness: colourfulness / count,
  };
}

function isDrawn(pixels: Float32Array): boolean {
  const counts = new Map<number, number>();
  for (let i = 0; i < pixels.length; i += 3) {
    const [r, g, b] = [pixels[i]!, pixels[i + 1]!, pixels[i + 2]!].map((value) => Math.round(value * 255)) as [
      number,
      number,
      number,
    ];
    const colour = (r << 16) | (g << 8) | b;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const most = [...counts.values()].sort((a, b) => b - a).slice(0, 4);
  return most.reduce((a, b) => a + b, 0) * 3 > pixels.length * DRAWN_PART;
}

/** Sorts the values in place. */
function percentile(values: Float32Array, part: number): number {
  return values.sort()[Math.round((values.length - 1) * part)]!;
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
