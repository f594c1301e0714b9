import { LUMA } from './curves.ts';
import { ramp } from '../ramps.ts';
import { quantile } from './tone-coordinates.ts';
import { clipping, PIXELS, SIDE } from './tone-square.ts';

/** Parts of the pixels whose levels are figures. */
const PARTS = [0.002, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.998];
/** Levels that count as light, and as dark: hardly, and fully; fully, and hardly. */
const [LIGHT, DARK] = [
  [0.5, 0.9],
  [0.15, 0.35],
] as const;
/** Sides of the histogram of colours and of the grid of places, and range of the colours. */
const [HUES, PLACES, RANGE] = [8, 4, 1.2];
/** Figures of a picture. */
export const FEATURES = 5 * PARTS.length + HUES ** 2 + 3 * PLACES ** 2 + 4 + 14 + 9;

/**
 * Returns what a network sees of a picture: figures of its canonical planes, and the signs of clipping.
 * @param canonical three planes without coordinates
 * @param planes three planes of coded values, 0..1
 */
export function toneFeatures(canonical: Float32Array, planes: Float32Array): Float32Array {
  const x = canonical.map((value) => (value < -0.2 ? -0.2 : value > 1.5 ? 1.5 : value));
  const [luma, most, least] = [new Float32Array(PIXELS), new Float32Array(PIXELS), new Float32Array(PIXELS)];
  const [warmth, tint] = [new Float32Array(PIXELS), new Float32Array(PIXELS)];
  for (let i = 0; i < PIXELS; i += 1) {
    const r = x[i]!;
    const g = x[PIXELS + i]!;
    const b = x[2 * PIXELS + i]!;
    luma[i] = LUMA[0] * r + LUMA[1] * g + LUMA[2] * b;
    most[i] = Math.max(r, g, b);
    least[i] = Math.min(r, g, b);
    const light = Math.max(0.02, luma[i]!) + 0.15;
    warmth[i] = (r - b) / light;
    tint[i] = (g - (r + b) / 2) / light;
  }
  const figures: number[] = [];
  for (const plane of [...[0, 1, 2].map((c) => x.subarray(c * PIXELS, (c + 1) * PIXELS)), luma, most])
    figures.push(...quantiles(plane));
  figures.push(...hues(luma, warmth, tint));
  for (const plane of [luma, warmth, tint]) figures.push(...places(plane));
  const rough = roughness(luma);
  figures.push(...bands(luma, rough));
  const chroma = warmth.map((value, i) => Math.sqrt(value * value + tint[i]! * tint[i]!));
  for (const weigh of [
    (i: number): number => ramp(luma[i]!, LIGHT),
    (i: number): number => 1 - ramp(luma[i]!, DARK),
    (i: number): number => Math.exp(-6 * chroma[i]!),
  ])
    figures.push(...weighted([warmth, tint], weigh));
  figures.push(...lights(x, luma));
  const share = (is: (i: number) => boolean, count = PIXELS): number => {
    let found = 0;
    for (let i = 0; i < count; i += 1) if (is(i)) found += 1;
    return found / count;
  };
  const clips = (level: (a: number, b: number, c: number) => number): number => {
    let sum = 0;
    for (let i = 0; i < PIXELS; i += 1)
      sum += clipping(level(planes[i]!, planes[PIXELS + i]!, planes[2 * PIXELS + i]!));
    return sum / PIXELS;
  };
  const [chromaMean, chromaSpread] = moments(chroma);
  figures.push(
    share((i) => least[i]! > 0.95),
    frame((i) => least[i]! > 0.95, 3),
    clips((a, b, c) => Math.max(a, b, c)),
    clips((a, b, c) => Math.min(a, b, c)),
    share((i) => luma[i]! < 0.03),
    share((i) => rough[i]! < 0.002, rough.length),
    chromaMean,
    chromaSpread,
    moments(luma)[1],
  );
  return Float32Array.from(figures);
}

/** Returns the share of a frame of a width in pixels that has a property. */
export function frame(is: (pixel: number) => boolean, wide: number): number {
  let [found, count] = [0, 0];
  for (let i = 0; i < PIXELS; i += 1) {
    const x = i % SIDE;
    const y = (i / SIDE) | 0;
    if (Math.min(x, y, SIDE - 1 - x, SIDE - 1 - y) >= wide) continue;
    count += 1;
    if (is(i)) found += 1;
  }
  return found / count;
}

function quantiles(plane: Float32Array): number[] {
  const sorted = plane.slice().sort();
  return PARTS.map((part) => quantile(sorted, part));
}

/** A histogram of colours weighted by luma. */
function hues(luma: Float32Array, warmth: Float32Array, tint: Float32Array): number[] {
  const counts = new Float64Array(HUES ** 2);
  const bin = (value: number): number => Math.min(HUES - 1, Math.max(0, Math.floor(((value / RANGE + 1) * HUES) / 2)));
  for (let i = 0; i < PIXELS; i += 1)
    counts[bin(warmth[i]!) * HUES + bin(2 * tint[i]!)]! += Math.min(1, Math.max(0, luma[i]!));
  return Array.from(counts, (count) => Math.sqrt(count / PIXELS));
}

function places(plane: Float32Array): number[] {
  const sums = new Float64Array(PLACES ** 2);
  const size = SIDE / PLACES;
  for (let i = 0; i < PIXELS; i += 1) sums[((i / SIDE / size) | 0) * PLACES + (((i % SIDE) / size) | 0)]! += plane[i]!;
  return Array.from(sums, (sum) => sum / size ** 2);
}

/** Returns the differences to the right and below, of all pixels but the last of each side. */
function roughness(luma: Float32Array): Float32Array {
  const size = SIDE - 1;
  return Float32Array.from({ length: size * size }, (_, n) => {
    const at = ((n / size) | 0) * SIDE + (n % size);
    return Math.abs(luma[at + SIDE]! - luma[at]!) + Math.abs(luma[at + 1]! - luma[at]!);
  });
}

/** Returns the mean roughness around four levels of luma. */
function bands(luma: Float32Array, rough: Float32Array): number[] {
  const size = SIDE - 1;
  return [0.1, 0.4, 0.7, 0.95].map((level) => {
    let [sum, count] = [0, 5];
    for (let n = 0; n < rough.length; n += 1) {
      if (Math.abs(luma[((n / size) | 0) * SIDE + (n % size)]! - level) >= 0.17) continue;
      sum += rough[n]!;
      count += 1;
    }
    return sum / count;
  });
}

/** Returns the mean of each plane, with the weights of the pixels. */
function weighted(planes: readonly Float32Array[], weigh: (i: number) => number): number[] {
  const sums = planes.map(() => 0);
  let total = 2.5;
  for (let i = 0; i < PIXELS; i += 1) {
    const weight = weigh(i);
    if (weight === 0) continue;
    total += weight;
    for (let n = 0; n < sums.length; n += 1) sums[n]! += weight * planes[n]![i]!;
  }
  return sums.map((sum) => sum / total);
}

/** Other guesses of the light, relative to shades of grey: edges in two powers, the mean, and bright pixels. */
function lights(x: Float32Array, luma: Float32Array): number[] {
  const light = x.map((value) => (value < 1e-2 ? 1e-4 : value * value));
  const sorted = luma.slice().sort();
  const [least, most] = [sorted[PIXELS - 75]!, sorted[PIXELS - 5]!];
  const guesses = [0, 1, 2].map((c) => {
    const [plane, size] = [c * PIXELS, SIDE - 1];
    let [edges, strong, mean, bright, brightest] = [0, 0, 0, 0, 0];
    for (let n = 0; n < size * size; n += 1) {
      const at = plane + ((n / size) | 0) * SIDE + (n % size);
      const down = light[at + SIDE]! - light[at]!;
      const right = light[at + 1]! - light[at]!;
      const edge = Math.sqrt(down * down + right * right) + 1e-5;
      edges += edge;
      strong += edge * edge * edge * edge;
    }
    for (let i = 0; i < PIXELS; i += 1) {
      mean += light[plane + i]!;
      if (luma[i]! < least || luma[i]! > most) continue;
      bright += light[plane + i]!;
      brightest += 1;
    }
    const count = size * size;
    return [edges / count, (strong / count) ** 0.25, mean / PIXELS, bright / brightest].map(Math.log);
  });
  const within = (value: number): number => Math.min(2, Math.max(-2, value));
  return [0, 1, 2, 3].flatMap((n) => {
    const [r, g, b] = guesses.map((guess) => guess[n]!) as [number, number, number];
    return [within(r - b), within(g - (r + b) / 2)];
  });
}

/** Returns the mean and the standard deviation. */
function moments(values: Float32Array): [number, number] {
  let [sum, squares] = [0, 0];
  for (const value of values) {
    sum += value;
    squares += value * value;
  }
  const mean = sum / values.length;
  return [mean, Math.sqrt(Math.max(0, squares / values.length - mean * mean))];
}
