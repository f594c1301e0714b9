import { LUMA } from './curves.ts';
import { lightColour } from './light-colour.ts';
import type { LightColour } from './light-colour.ts';
import { FULL } from './tone-thumbnail.ts';
import type { ToneThumbnail } from './tone-thumbnail.ts';

/** Minimum number of pixels: an icon or a swatch with fewer does not reveal its exposure. */
const LEAST_PIXELS = 1000;

/** Minimum share of samples in at most four colours for a drawing. A drawing keeps its colours. */
const DRAWN_PART = 0.6;

/** Coded value from which a channel counts as clipped. */
const CLIPPED = 0.985;

/** Global statistics of a picture; values are coded, 0..1. */
export interface ToneStatistics {
  /** Percentile 0.5 of the smallest channel of each pixel: the black level */
  low: number;
  /** Median of luma */
  median: number;
  /** Percentile 99.5 of the largest channel of each pixel: the level of white, or of a full colour */
  high: number;
  /** Share of pixels with a clipped channel, and the median of luma of the others */
  burnt: number;
  unburntMedian: number;
  light: LightColour;
  colourfulness: number;
}

/**
 * Measures a grid of small averages, so that noise has no influence. Returns undefined for a picture with hardly any
 * opaque pixels, and for a drawing of few colours.
 */
export function measureTone(thumbnail: ToneThumbnail): ToneStatistics | undefined {
  const { cells } = thumbnail;
  const pixels = listOpaque(thumbnail);
  const count = pixels.length;
  if (count < LEAST_PIXELS || isDrawn(cells, pixels)) return undefined;
  const [luma, largest, smallest] = [new Int32Array(FULL + 1), new Int32Array(FULL + 1), new Int32Array(FULL + 1)];
  const unburnt = new Int32Array(FULL + 1);
  let [colourfulness, burnt] = [0, 0];
  for (let n = 0; n < count; n += 1) {
    const i = pixels[n]!;
    const r = cells[i]!;
    const g = cells[i + 1]!;
    const b = cells[i + 2]!;
    const most = Math.max(r, g, b);
    const least = Math.min(r, g, b);
    const own = (LUMA[0] * r + LUMA[1] * g + LUMA[2] * b + 0.5) | 0;
    luma[own]! += 1;
    if (most < CLIPPED * FULL) unburnt[own]! += 1;
    else burnt += 1;
    largest[most]! += 1;
    smallest[least]! += 1;
    colourfulness += most - least;
  }
  return {
    low: percentile(smallest, count, 0.005),
    median: percentile(luma, count, 0.5),
    high: percentile(largest, count, 0.995),
    burnt: burnt / count,
    unburntMedian: burnt === count ? 1 : percentile(unburnt, count - burnt, 0.5),
    light: lightColour(cells, pixels),
    colourfulness: colourfulness / count / FULL,
  };
}

function listOpaque({ opaque }: ToneThumbnail): Int32Array {
  const found = new Int32Array(opaque.length);
  let length = 0;
  for (let cell = 0; cell < opaque.length; cell += 1) if (opaque[cell] === 1) found[length++] = 3 * cell;
  return found.subarray(0, length);
}

/**
 * Counts colours of 8 bits per channel in a hash table with open addressing. The table is twice as large as the number
 * of cells, so probe sequences are short.
 */
function isDrawn(cells: Uint16Array, pixels: Int32Array): boolean {
  const size = 1 << 17;
  const colours = new Int32Array(size).fill(-1);
  const counts = new Int32Array(size);
  for (const i of pixels) {
    const [r, g, b] = [level(cells[i]!), level(cells[i + 1]!), level(cells[i + 2]!)];
    const colour = (r << 16) | (g << 8) | b;
    let at = Math.imul(colour, 0x9e3779b1) >>> 15;
    while (colours[at] !== colour && colours[at] !== -1) at = (at + 1) & (size - 1);
    colours[at] = colour;
    counts[at]! += 1;
  }
  const most = [0, 0, 0, 0];
  for (const count of counts) {
    if (count <= most[3]!) continue;
    most[3] = count;
    most.sort((a, b) => b - a);
  }
  return most.reduce((a, b) => a + b, 0) > pixels.length * DRAWN_PART;
}

const level = (value: number): number => ((value * 255) / FULL + 0.5) | 0;

/** Returns the percentile of a histogram at a fraction of 0..1. */
function percentile(histogram: Int32Array, count: number, part: number): number {
  const wanted = Math.round((count - 1) * part);
  let below = 0;
  for (let value = 0; value < FULL; value += 1) {
    below += histogram[value]!;
    if (below > wanted) return value / FULL;
  }
  return 1;
}
