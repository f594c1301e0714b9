import { codedLight, LUMA, linearLight } from './curves.ts';
import { ramp } from '../ramps.ts';
import { FULL, type ToneThumbnail } from './tone-thumbnail.ts';

/** Minimum number of pixels: an icon or a swatch with fewer does not reveal its exposure. */
const LEAST_PIXELS = 1000;
/** Pixels that are not black: up to the first number a picture counts as a drawing, from the second its colours decide. */
const LIT_PIXELS = [LEAST_PIXELS, 1.5 * LEAST_PIXELS] as const;

/** Share of pixels in at most four colours: a photograph up to the first value, certainly a drawing from the second. */
const DRAWN_PART = [0.6, 0.75] as const;
/** Distance of the colours of the grid, levels of 255: with its neighbours, a colour includes little noise. */
const COLOUR_STEP = 3;
/** Maximum factor by which the grid is finer for a dark picture. */
const MOST_SCALE = 4;
/** Coded value below which a pixel counts as black. Night clips to black, so black is no colour of a drawing. */
const BLACK = 0.02;

/** Coded value from which a pixel is white. */
const WHITE = 0.97;

/** Share of the brightest points, and the coded value from which they are light, as lamps are. */
const POINTS = 0.0004;
const LIGHT = 0.8;

/** Levels of a picture; values are coded, 0..1. */
export interface ToneLevels {
  /** Median of luma */
  median: number;
  /** Percentile 99.5 of the largest channel of each pixel: the level of white, or of a full colour */
  high: number;
  /** Percentile 99.96 of the largest channel: lamps and stars */
  points: number;
  /** Stops of linear light between `points` and percentile 95 */
  lights: number;
  /** The same picture with so much light that `points` is light at least: the signs of night do not depend on the exposure below it */
  lit: LitLevels;
  /** Mean difference between the largest and the smallest channel */
  colourfulness: number;
  /** Share of pixels that are white in all channels */
  white: number;
}

/** Levels of a picture whose brightest points are light; values are coded, 0..1. */
export interface LitLevels {
  /** Median of luma */
  median: number;
  /** Share of black pixels */
  black: number;
  /** Share of pixels whose largest channel is above half of the range */
  bright: number;
}

/** Global statistics of a picture. */
export interface ToneStatistics extends ToneLevels {
  /** Confidence that the picture is a drawing of few colours, 0..1 */
  drawn: number;
}

/**
 * Measures a grid of small averages, so that noise has no influence. Returns undefined for a picture with hardly any
 * opaque pixels.
 */
export function measureTone(thumbnail: ToneThumbnail): ToneStatistics | undefined {
  const pixels = listOpaque(thumbnail);
  if (pixels.length < LEAST_PIXELS) return undefined;
  const levels = measureLevels(thumbnail, pixels);
  return { ...levels, drawn: drawnConfidence(thumbnail.cells, pixels, levels.high) };
}

/** Measures the levels of a grid alone. */
export function measureLevels(thumbnail: ToneThumbnail, pixels = listOpaque(thumbnail)): ToneLevels {
  const { cells } = thumbnail;
  const count = pixels.length;
  const [luma, largest] = [new Int32Array(FULL + 1), new Int32Array(FULL + 1)];
  let [colourfulness, white] = [0, 0];
  for (let n = 0; n < count; n += 1) {
    const i = pixels[n]!;
    const r = cells[i]!;
    const g = cells[i + 1]!;
    const b = cells[i + 2]!;
    const most = Math.max(r, g, b);
    const least = Math.min(r, g, b);
    luma[(LUMA[0] * r + LUMA[1] * g + LUMA[2] * b + 0.5) | 0]! += 1;
    largest[most]! += 1;
    colourfulness += most - least;
    if (least > WHITE * FULL) white += 1;
  }
  const points = percentile(largest, count, 1 - POINTS);
  const median = percentile(luma, count, 0.5);
  return {
    median,
    high: percentile(largest, count, 0.995),
    points,
    lights: stopsBetween(points, percentile(largest, count, 0.95)),
    lit: litLevels(
      median,
      points,
      (below) => largest.subarray(0, Math.ceil(below * FULL)).reduce((sum, n) => sum + n, 0) / count,
    ),
    colourfulness: colourfulness / count / FULL,
    white: white / count,
  };
}

/** @param shareBelow share of pixels whose largest channel is below a coded value */
function litLevels(median: number, points: number, shareBelow: (value: number) => number): LitLevels {
  const gain = Math.max(1, linearLight(LIGHT) / linearLight(Math.max(points, BLACK)));
  return {
    median: codedLight(Math.min(1, gain * linearLight(median))),
    black: shareBelow(codedLight(linearLight(BLACK) / gain)),
    bright: 1 - shareBelow(codedLight(linearLight(0.5) / gain)),
  };
}

/** Returns percentile 1 of luma, coded, 0..1. */
export function blackLevel(thumbnail: ToneThumbnail): number {
  const { cells } = thumbnail;
  const pixels = listOpaque(thumbnail);
  const luma = new Int32Array(FULL + 1);
  for (const i of pixels) luma[(LUMA[0] * cells[i]! + LUMA[1] * cells[i + 1]! + LUMA[2] * cells[i + 2]!) | 0]! += 1;
  return percentile(luma, pixels.length, 0.01);
}

/** Returns the indices of the opaque cells. */
function listOpaque({ opaque }: ToneThumbnail): Int32Array {
  const found = new Int32Array(opaque.length);
  let length = 0;
  for (let cell = 0; cell < opaque.length; cell += 1) if (opaque[cell] === 1) found[length++] = 3 * cell;
  return found.subarray(0, length);
}

/**
 * Returns the confidence that the four most frequent colours are a drawing, each with its 26 neighbours in a grid of colours. The grid is
 * finer for a dark picture, whose colours are closer together.
 */
function drawnConfidence(cells: Uint16Array, pixels: Int32Array, high: number): number {
  const scale = Math.min(MOST_SCALE, 1 / Math.max(high, BLACK)) * (255 / FULL / COLOUR_STEP);
  const lines = new Uint8Array(FULL + 1);
  for (let value = 0; value <= FULL; value += 1) lines[value] = 1 + Math.min(255 / COLOUR_STEP, value * scale);
  const counts = (gridCounts ??= new Uint16Array(GRID_LINES ** 3));
  const used = new Int32Array(pixels.length);
  let [seen, colourCount] = [0, 0];
  for (const i of pixels) {
    const [r, g, b] = [cells[i]!, cells[i + 1]!, cells[i + 2]!];
    if (Math.max(r, g, b) <= BLACK * FULL) continue;
    const colour = (lines[r]! * GRID_LINES + lines[g]!) * GRID_LINES + lines[b]!;
    if (counts[colour]! === 0) used[colourCount++] = colour;
    counts[colour]! += 1;
    seen += 1;
  }
  const lit = ramp(seen, LIT_PIXELS);
  const found = lit === 0 ? 0 : takeMostFrequent(counts, used.subarray(0, colourCount));
  for (let n = 0; n < colourCount; n += 1) counts[used[n]!] = 0;
  return lit === 0 ? 1 : 1 - lit * (1 - ramp(found / seen, DRAWN_PART));
}

/** Counters of the grid, all 0 between two pictures: their memory costs more than a picture. */
let gridCounts: Uint16Array | undefined;

/** Returns the number of cells in the four most frequent colours, each with its neighbours, and removes their counts. */
function takeMostFrequent(counts: Uint16Array, used: Int32Array): number {
  let found = 0;
  for (let colours = 0; colours < 4; colours += 1) {
    let centre = used[0]!;
    for (let n = 1; n < used.length; n += 1) {
      const colour = used[n]!;
      const more = counts[colour]! - counts[centre]!;
      if (more > 0 || (more === 0 && colour < centre)) centre = colour;
    }
    for (const step of NEIGHBOURS) {
      found += counts[centre + step] ?? 0;
      counts[centre + step] = 0;
    }
  }
  return found;
}

/** Lines of the grid in each channel, with one beyond each end. */
const GRID_LINES = 255 / COLOUR_STEP + 3;

/** Steps in the grid from a colour to itself and the 26 around it. */
const NEIGHBOURS = [-1, 0, 1].flatMap((r) =>
  [-1, 0, 1].flatMap((g) => [-1, 0, 1].map((b) => (r * GRID_LINES + g) * GRID_LINES + b)),
);

/** Returns the difference of two coded values in stops of linear light. */
function stopsBetween(bright: number, dark: number): number {
  return Math.log2(linearLight(Math.max(bright, BLACK)) / linearLight(Math.max(dark, BLACK)));
}

/**
 * Returns the percentile of a histogram of values of 0 to `FULL`, 0..1.
 * @param part 0..1
 */
export function percentile(histogram: Int32Array, count: number, part: number): number {
  const wanted = Math.round((count - 1) * part);
  let below = 0;
  for (let value = 0; value < FULL; value += 1) {
    below += histogram[value]!;
    if (below > wanted) return value / FULL;
  }
  return 1;
}
