import { LUMA } from './curves.ts';
import { quantile } from './tone-coordinates.ts';
import { CLIPPED, PIXELS, SIDE, type ToneSquare } from './tone-square.ts';

/** Bins of each side of a histogram of colours, and the width of one in natural logarithms. Beyond 1.28, it begins again. */
export const BINS = 32;
export const BIN_WIDTH = 0.08;
/** Light below which the colour of a pixel is noise. */
const DARKEST = 0.0008;
const BRIGHT_PART = 0.8;
/** Share of a histogram that a bin has at least: most have less, and say nothing. */
const LEAST_SHARE = 0.003;
/** Light that a channel has at least before its logarithm. */
const DARKEST_RATIO = 1e-4;
/** Light that an edge has at least, so that flat areas have no colour. */
const LEAST_EDGE = 2e-4;
/** Standard deviations of casts: logarithms of red over blue, and of green over both. */
const USUAL = { warm: 0.8, tint: 0.3 };
/** Steps at which the way to an accepted white point is searched. */
const STEPS = 20;

/** A cast: logarithms of red and of blue over green, in linear light. */
export interface Cast {
  red: number;
  blue: number;
}
const NO_CAST: Cast = { red: 0, blue: 0 };

/**
 * Returns the histograms of colours, `BINS` by `BINS` each, of pixels, edges and the brightest fifth: red over green by row, blue over green by column. Another white point moves
 * them, and changes nothing else.
 */
export function colourHistograms({ coded, light }: ToneSquare): Float32Array[] {
  const luma = new Float32Array(PIXELS);
  const seen = new Uint8Array(PIXELS);
  for (let i = 0; i < PIXELS; i += 1) {
    const r = light[i]!;
    const g = light[PIXELS + i]!;
    const b = light[2 * PIXELS + i]!;
    luma[i] = LUMA[0] * r + LUMA[1] * g + LUMA[2] * b;
    const most = Math.max(coded[i]!, coded[PIXELS + i]!, coded[2 * PIXELS + i]!);
    if (most < CLIPPED && Math.min(r, g, b) > DARKEST) seen[i] = 1;
  }
  const lumas = luma.filter((_, i) => seen[i] === 1).sort();
  const bright = lumas.length > 1 ? quantile(lumas, BRIGHT_PART) : 1;
  const [pixels, edges, brightest] = [0, 1, 2].map(() => new Float32Array(BINS * BINS)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  for (let i = 0; i < PIXELS; i += 1) {
    if (seen[i] === 0) continue;
    const r = light[i]!;
    const g = light[PIXELS + i]!;
    const b = light[2 * PIXELS + i]!;
    const weight = Math.sqrt(luma[i]!);
    count(pixels, r, g, b, weight);
    if (luma[i]! >= bright) count(brightest, r, g, b, weight);
    if (i % SIDE === SIDE - 1 || i >= PIXELS - SIDE || seen[i + 1] === 0 || seen[i + SIDE] === 0) continue;
    const er = edgeAt(light, i);
    const eg = edgeAt(light, PIXELS + i);
    const eb = edgeAt(light, 2 * PIXELS + i);
    count(edges, er, eg, eb, Math.sqrt((er + eg + eb) / 3));
  }
  return [pixels, edges, brightest].map((bins) => {
    const sum = bins.reduce((a, b) => a + b);
    return sum === 0 ? bins : bins.map((value) => (value < LEAST_SHARE * sum ? 0 : Math.sqrt(value / sum)));
  });
}

const edgeAt = (light: Float32Array, at: number): number =>
  Math.abs(light[at + SIDE]! - light[at]!) + Math.abs(light[at + 1]! - light[at]!) + LEAST_EDGE;

/** Adds a colour to the four bins around it. */
function count(bins: Float32Array, red: number, green: number, blue: number, weight: number): void {
  const under = Math.log(Math.max(green, DARKEST_RATIO));
  const row = (Math.log(Math.max(red, DARKEST_RATIO)) - under) / BIN_WIDTH;
  const column = (Math.log(Math.max(blue, DARKEST_RATIO)) - under) / BIN_WIDTH;
  const top = Math.floor(row);
  const left = Math.floor(column);
  const down = row - top;
  const right = column - left;
  const first = within(top) * BINS;
  const second = within(top + 1) * BINS;
  const west = within(left);
  const east = within(left + 1);
  bins[first + west]! += weight * (1 - down) * (1 - right);
  bins[first + east]! += weight * (1 - down) * right;
  bins[second + west]! += weight * down * (1 - right);
  bins[second + east]! += weight * down * right;
}

/** A power of two begins again by its lowest bits. */
const within = (line: number): number => line & (BINS - 1);

/** Returns the value between the four bins around a place. */
function valueBetween(bins: Float32Array, row: number, column: number): number {
  const [top, left] = [Math.floor(row), Math.floor(column)];
  const [down, right] = [row - top, column - left];
  const at = (y: number, x: number): number => bins[within(y) * BINS + within(x)]!;
  return (
    (at(top, left) * (1 - right) + at(top, left + 1) * right) * (1 - down) +
    (at(top + 1, left) * (1 - right) + at(top + 1, left + 1) * right) * down
  );
}

/**
 * Returns the likelihood of casts together with how usual they are: cameras err more between warm and cool than between green and magenta.
 * @param likelihood by bin, as logarithms
 * @returns logarithms below the most likely cast
 */
function withUsualCasts(likelihood: Float32Array): Float32Array {
  const together = likelihood.map((value, bin) => {
    const [red, blue] = [centred((bin / BINS) | 0) * BIN_WIDTH, centred(bin % BINS) * BIN_WIDTH];
    return value - ((red - blue) / USUAL.warm) ** 2 / 2 - ((red + blue) / 2 / USUAL.tint) ** 2 / 2;
  });
  const most = together.reduce((a, b) => Math.max(a, b));
  return together.map((value) => value - most);
}

/**
 * Returns the smallest cast whose removal makes the white point acceptable.
 * @param likelihood by bin, as logarithms below the most likely cast
 * @param share share of good photographs beyond the accepted white points, 0..1: in a normal distribution of two dimensions, this share lies where
 * the density is below its part of the highest one
 */
export function leastCast(likelihood: Float32Array, share: number): Cast {
  const least = Math.log(share);
  // Usual casts decide whether the white point moves, and not how far. A second pass sees another cast, and would go on.
  if (Math.max(likelihood[0]!, withUsualCasts(likelihood)[0]!) >= least) return NO_CAST;
  let [row, column, distance] = [0, 0, Infinity];
  for (let bin = 0; bin < likelihood.length; bin += 1) {
    if (likelihood[bin]! < least) continue;
    const [y, x] = [centred((bin / BINS) | 0), centred(bin % BINS)];
    if (y * y + x * x < distance) [row, column, distance] = [y, x, y * y + x * x];
  }
  let part = 1;
  for (let step = STEPS - 1; step >= 0; step -= 1) {
    if (valueBetween(likelihood, (row * step) / STEPS, (column * step) / STEPS) < least) break;
    part = step / STEPS;
  }
  return { red: row * part * BIN_WIDTH, blue: column * part * BIN_WIDTH };
}

const centred = (line: number): number => (line < BINS / 2 ? line : line - BINS);
