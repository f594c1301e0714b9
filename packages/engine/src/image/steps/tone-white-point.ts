import { ramp } from '../ramps.ts';
import { LUMA } from './curves.ts';
import { quantile, whitePoint } from './tone-coordinates.ts';
import { clipping, PIXELS, SIDE, type ToneSquare } from './tone-square.ts';

/** Bins of each side of a histogram of colours, and the widths of one in natural logarithms. Beyond 1.92 and .96, it begins again. */
export const BINS = 32;
export const WIDTHS = { warm: 0.12, tint: 0.06 } as const;
/** Light below which the colour of a pixel is noise. */
const DARKEST = 0.0008;
const BRIGHT_PART = 0.8;
/** Share of the pixels that show the brightest things. */
const BRIGHTEST_PART = 0.1;
/** Share of a histogram that a bin has at least: most have less, and say nothing. */
const LEAST_SHARE = 0.003;
/** Light that a channel has at least before its logarithm. */
const DARKEST_RATIO = 1e-4;
/** Light that an edge has at least, so that flat areas have no colour. */
const LEAST_EDGE = 2e-4;
/** Standard deviations of casts: logarithms of red over blue, and of green over both. */
const USUAL = { warm: 0.8, tint: 0.3 };
/** Excess of a cast that moves to an accepted one, and of one that no scene has: it moves to the likeliest white point. */
const STRONG = [0.2, 0.6] as const;
/** Steps at which the way to an accepted white point is searched. */
const STEPS = 20;

/** A cast: logarithms of red over blue, and of green over both, in linear light. */
export interface Cast {
  warm: number;
  tint: number;
}
/** Weight of a guess, beside that of a histogram whose squares have a sum of 1. */
const GUESS = 1;
const NO_CAST: Cast = { warm: 0, tint: 0 };

/**
 * Returns the histograms of colours, `BINS` by `BINS` each, red over blue by row, green over both by column: of pixels, edges and the brightest
 * fifth, and of three guesses of the white point alone. Another white point moves them, and changes nothing else.
 * @param greys white point by shades of grey, the first guess
 */
export function colourHistograms(square: ToneSquare, greys = whitePoint(square)): Float32Array[] {
  const { coded, light } = square;
  const luma = new Float32Array(PIXELS);
  const seen = new Float32Array(PIXELS);
  for (let i = 0; i < PIXELS; i += 1) {
    const r = light[i]!;
    const g = light[PIXELS + i]!;
    const b = light[2 * PIXELS + i]!;
    luma[i] = LUMA[0] * r + LUMA[1] * g + LUMA[2] * b;
    const most = Math.max(coded[i]!, coded[PIXELS + i]!, coded[2 * PIXELS + i]!);
    if (Math.min(r, g, b) > DARKEST) seen[i] = 1 - clipping(most);
  }
  const lumas = luma.filter((_, i) => seen[i]! > 0).sort();
  const bright = lumas.length > 1 ? quantile(lumas, BRIGHT_PART) : 1;
  const [pixels, edges, brightest] = [noColours(), noColours(), noColours()];
  const [all, lit] = [
    [0, 0, 0],
    [0, 0, 0],
  ] as [Light, Light];
  for (let i = 0; i < PIXELS; i += 1) {
    if (seen[i] === 0) continue;
    const r = light[i]!;
    const g = light[PIXELS + i]!;
    const b = light[2 * PIXELS + i]!;
    const weight = seen[i]! * Math.sqrt(luma[i]!);
    const colour = castBy(r, g, b);
    count(pixels, colour, weight);
    add(all, r, g, b, seen[i]!);
    if (luma[i]! >= bright) {
      count(brightest, colour, weight);
      add(lit, r, g, b, seen[i]!);
    }
    if (i % SIDE === SIDE - 1 || i >= PIXELS - SIDE || seen[i + 1] === 0 || seen[i + SIDE] === 0) continue;
    const er = edgeAt(light, i);
    const eg = edgeAt(light, PIXELS + i);
    const eb = edgeAt(light, 2 * PIXELS + i);
    const least = Math.min(seen[i]!, seen[i + 1]!, seen[i + SIDE]!);
    count(edges, castBy(er, eg, eb), least * Math.sqrt((er + eg + eb) / 3));
  }
  const shares = [pixels, edges, brightest].map((bins) => {
    const sum = bins.reduce((a, b) => a + b);
    return sum === 0 ? bins : bins.map((value) => (value < LEAST_SHARE * sum ? 0 : Math.sqrt(value / sum)));
  });
  const guesses = [greys, castBy(...all), castBy(...lit)].map((guess) => {
    const bins = noColours();
    count(bins, guess, GUESS);
    return bins;
  });
  return [...shares, ...guesses];
}

type Light = [red: number, green: number, blue: number];

const noColours = (): Float32Array => new Float32Array(BINS * BINS);

function add(sum: Light, red: number, green: number, blue: number, weight: number): void {
  sum[0] += weight * red;
  sum[1] += weight * green;
  sum[2] += weight * blue;
}

const edgeAt = (light: Float32Array, at: number): number =>
  Math.abs(light[at + SIDE]! - light[at]!) + Math.abs(light[at + 1]! - light[at]!) + LEAST_EDGE;

/**
 * Returns by how much the brightest tenth of the pixels is less warm than the half of all: white things are the brightest in the light of a
 * lamp, and the light itself is in a sunset. A cast moves both alike.
 * @returns a difference of logarithms of red over blue
 */
export function paleness({ light }: ToneSquare): number {
  const pixels = Array.from({ length: PIXELS }, (_, i) => {
    const [r, g, b] = [light[i]!, light[PIXELS + i]!, light[2 * PIXELS + i]!];
    return { luma: LUMA[0] * r + LUMA[1] * g + LUMA[2] * b, warm: logarithm(r) - logarithm(b) };
  }).sort((a, b) => b.luma - a.luma);
  const median = (of: typeof pixels): number => quantile(Float32Array.from(of, ({ warm }) => warm).sort(), 0.5);
  return median(pixels) - median(pixels.slice(0, PIXELS * BRIGHTEST_PART));
}

/** Adds a colour to the four bins around it. */
function count(bins: Float32Array, { warm, tint }: Cast, weight: number): void {
  const row = warm / WIDTHS.warm;
  const column = tint / WIDTHS.tint;
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

/** Returns the cast of linear light, 0..1. */
export function castBy(red: number, green: number, blue: number): Cast {
  const [r, g, b] = [logarithm(red), logarithm(green), logarithm(blue)];
  return { warm: r - b, tint: g - (r + b) / 2 };
}

const logarithm = (light: number): number => Math.log(Math.max(light, DARKEST_RATIO));

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
    const { warm, tint } = castOf(bin);
    return value - (warm / USUAL.warm) ** 2 / 2 - (tint / USUAL.tint) ** 2 / 2;
  });
  const most = together.reduce((a, b) => Math.max(a, b));
  return together.map((value) => value - most);
}

/** Returns the logarithms by which red and blue move over green. */
const sizeOf = ({ warm, tint }: Cast): number => Math.sqrt(warm ** 2 / 2 + 2 * tint ** 2);

/** Returns the cast that goes: the smallest one, or the mean one where even that is strong. Parameters as in `leastCast` */
export function excessiveCast(likelihood: Float32Array, share: number): Cast {
  const least = leastCast(likelihood, share);
  const part = ramp(sizeOf(least), STRONG);
  if (part === 0) return least;
  const mean = meanCast(likelihood);
  return { warm: least.warm + (mean.warm - least.warm) * part, tint: least.tint + (mean.tint - least.tint) * part };
}

/**
 * Returns the smallest cast whose removal makes the white point acceptable.
 * @param likelihood by bin, as logarithms below the most likely cast
 * @param share share of good photographs beyond the accepted white points, 0..1: in a normal distribution of two dimensions, this share lies where
 * the density is below its part of the highest one
 */
function leastCast(likelihood: Float32Array, share: number): Cast {
  const least = Math.log(share);
  // Usual casts decide whether the white point moves, and not how far. A second pass sees another cast, and would go on.
  if (Math.max(likelihood[0]!, withUsualCasts(likelihood)[0]!) >= least) return NO_CAST;
  let nearest = NO_CAST;
  let distance = Infinity;
  for (let bin = 0; bin < likelihood.length; bin += 1) {
    if (likelihood[bin]! < least) continue;
    const cast = castOf(bin);
    const own = sizeOf(cast);
    if (own < distance) [nearest, distance] = [cast, own];
  }
  const { warm, tint } = nearest;
  let part = 1;
  for (let step = STEPS - 1; step >= 0; step -= 1) {
    const along = step / STEPS;
    if (valueBetween(likelihood, (warm * along) / WIDTHS.warm, (tint * along) / WIDTHS.tint) < least) break;
    part = along;
  }
  return { warm: warm * part, tint: tint * part };
}

/** Returns the mean of the casts by their likelihood. @param likelihood by bin, as logarithms */
export function meanCast(likelihood: Float32Array): Cast {
  let [total, sumWarm, sumTint] = [0, 0, 0];
  for (const [bin, value] of likelihood.entries()) {
    const chance = Math.exp(value);
    const { warm, tint } = castOf(bin);
    total += chance;
    sumWarm += chance * warm;
    sumTint += chance * tint;
  }
  return { warm: sumWarm / total, tint: sumTint / total };
}

const castOf = (bin: number): Cast => ({
  warm: centred((bin / BINS) | 0) * WIDTHS.warm,
  tint: centred(bin % BINS) * WIDTHS.tint,
});

const centred = (line: number): number => (line < BINS / 2 ? line : line - BINS);
