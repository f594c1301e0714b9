import { LUMA } from './curves.ts';
import { lightColour } from './light-colour.ts';
import type { LightColour } from './light-colour.ts';
import type { Picture } from '../picture.ts';
import { FULL, toneThumbnail } from './tone-thumbnail.ts';
import type { ToneThumbnail } from './tone-thumbnail.ts';

/** An icon or a swatch of fewer pixels says nothing of its light. */
const LEAST_PIXELS = 1000;

/** Share of samples on at most four colours from which on a picture is a drawing. A drawing keeps its colours. */
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
  return statisticsOf(toneThumbnail(picture));
}

/** The same of a thumbnail that is there already. */
export function statisticsOf(thumbnail: ToneThumbnail): ToneStatistics | undefined {
  const { cells } = thumbnail;
  const pixels = opaqueOf(thumbnail);
  const count = pixels.length;
  if (count < LEAST_PIXELS || isDrawn(cells, pixels)) return undefined;
  const [luma, largest, smallest] = [new Int32Array(FULL + 1), new Int32Array(FULL + 1), new Int32Array(FULL + 1)];
  let colourfulness = 0;
  for (let n = 0; n < count; n += 1) {
    const i = pixels[n]!;
    const r = cells[i]!;
    const g = cells[i + 1]!;
    const b = cells[i + 2]!;
    const most = Math.max(r, g, b);
    const least = Math.min(r, g, b);
    luma[(LUMA[0] * r + LUMA[1] * g + LUMA[2] * b + 0.5) | 0]! += 1;
    largest[most]! += 1;
    smallest[least]! += 1;
    colourfulness += most - least;
  }
  return {
    low: percentile(smallest, count, 0.005),
    median: percentile(luma, count, 0.5),
    high: percentile(largest, count, 0.995),
    light: lightColour(cells, pixels),
    colourfulness: colourfulness / count / FULL,
  };
}

/** Where the opaque cells begin. */
function opaqueOf({ opaque }: ToneThumbnail): Int32Array {
  const found = new Int32Array(opaque.length);
  let length = 0;
  for (let cell = 0; cell < opaque.length; cell += 1) if (opaque[cell] === 1) found[length++] = 3 * cell;
  return found.subarray(0, length);
}

/** Counts colours of 8 bits a channel in a table of open addresses; a cell finds its place after few steps, the table being twice as large. */
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

/** The quantile of the values at a part of 0..1. */
function percentile(histogram: Int32Array, count: number, part: number): number {
  const wanted = Math.round((count - 1) * part);
  let below = 0;
  for (let value = 0; value < FULL; value += 1) {
    below += histogram[value]!;
    if (below > wanted) return value / FULL;
  }
  return 1;
}
