import { ramp } from '../ramps.ts';
import { LUMA } from './curves.ts';
import { clippedPairs, clipping, PIXELS, SIDE, type ToneSquare } from './tone-square.ts';

/** Bins of a histogram of logits, and the width of one. */
export const BINS = 128;
export const BIN_WIDTH = 0.125;
/** Bounds of the classes of colour: red over blue, and green over both, relative to luma. */
const WARMTHS = [-0.45, -0.15, 0.15, 0.45, 0.9];
const TINTS = [-0.06, 0.06];
const CLASSES = (WARMTHS.length + 1) * (TINTS.length + 1);
/** Histograms: of classes of colour; of the top, bottom and centre; of edges and flat areas; of pixels in which two channels clip, and all. */
const CHANNELS = CLASSES + 3 + 2 + 2;
const [TOP, BOTTOM, CENTRE] = [SIDE * 0.3125, SIDE * 0.6875, 0.5];
const FLAT = 0.03;
/** Coded values of a pixel whose brightness is known, and of white, where it is not. */
const WHITE = [0.93, 0.98] as const;
/** Bounds of the logit of a level. */
const MOST_LOGIT = Math.log(0.996 / 0.004);

/**
 * Returns the histograms of brightness by kind of pixel. Another middle moves them.
 * @param levels three planes in which black is 0 and white is 1
 */
export function brightnessHistograms(levels: Float32Array, square: ToneSquare): Float32Array[] {
  const { coded } = square;
  const logits = new Float32Array(PIXELS);
  const classes = new Uint8Array(PIXELS);
  const seen = new Float32Array(PIXELS);
  let clippedPixels = 0;
  for (let i = 0; i < PIXELS; i += 1) {
    const r = bounded(levels[i]!);
    const g = bounded(levels[PIXELS + i]!);
    const b = bounded(levels[2 * PIXELS + i]!);
    const luma = LUMA[0] * r + LUMA[1] * g + LUMA[2] * b;
    logits[i] = Math.min(MOST_LOGIT, Math.max(-MOST_LOGIT, Math.log(Math.max(luma, 1e-4) / Math.max(1 - luma, 1e-4))));
    const under = Math.max(0.02, luma) + 0.15;
    classes[i] = classOf(WARMTHS, (r - b) / under) * (TINTS.length + 1) + classOf(TINTS, (g - (r + b) / 2) / under);
    const least = Math.min(coded[i]!, coded[PIXELS + i]!, coded[2 * PIXELS + i]!);
    clippedPixels += clipping(least);
    seen[i] = 1 - ramp(least, WHITE);
  }
  const histograms = Array.from({ length: CHANNELS }, () => new Float32Array(BINS));
  const add = (channel: number, logit: number, weight: number): void =>
    splat(histograms[channel]!, logit, weight / PIXELS);
  for (let i = 0; i < PIXELS; i += 1) {
    const part = seen[i]!;
    if (part === 0) continue;
    const x = i % SIDE;
    const y = (i / SIDE) | 0;
    const logit = logits[i]!;
    add(classes[i]!, logit, part);
    if (y < TOP) add(CLASSES, logit, part);
    if (y >= BOTTOM) add(CLASSES + 1, logit, part);
    if (((2 * x) / (SIDE - 1) - 1) ** 2 + ((2 * y) / (SIDE - 1) - 1) ** 2 < CENTRE ** 2) add(CLASSES + 2, logit, part);
    if (x === SIDE - 1 || y === SIDE - 1) continue;
    const least = Math.min(part, seen[i + 1]!, seen[i + SIDE]!);
    if (least === 0) continue;
    const edge = Math.abs(logits[i + SIDE]! - logit) + Math.abs(logits[i + 1]! - logit);
    add(CLASSES + 3, logit, least * Math.min(2, edge));
    if (edge < FLAT) add(CLASSES + 4, logit, least);
  }
  // What clips is a sign of excess itself, wherever the middle is.
  add(CLASSES + 5, 0, clippedPairs(square) * PIXELS);
  add(CLASSES + 6, 0, clippedPixels);
  return histograms.map((histogram) => histogram.map((value) => Math.sqrt(value)));
}

const bounded = (level: number): number => Math.min(1.5, Math.max(-0.2, level));

function classOf(bounds: readonly number[], value: number): number {
  let found = 0;
  while (found < bounds.length && value >= bounds[found]!) found += 1;
  return found;
}

function splat(histogram: Float32Array, logit: number, weight: number): void {
  const at = logit / BIN_WIDTH + BINS / 2;
  const left = Math.floor(at);
  histogram[left]! += weight * (left + 1 - at);
  histogram[left + 1]! += weight * (at - left);
}

/**
 * Returns the excess of the middle over the brightest one that is acceptable, as a difference of logits; below 0, there is none. It changes
 * gradually with the likelihood, also where that has two peaks, so that a little more light is never much less light in the result.
 * @param likelihood of each excess over a good photograph, by bin, as logarithms
 * @param deviations standard deviations by which the result lies below the mean
 */
export function middleExcess(likelihood: Float32Array, deviations: number): number {
  let [total, sum, squares] = [0, 0, 0];
  for (const [bin, value] of likelihood.entries()) {
    const chance = Math.exp(value);
    const excess = (bin < BINS / 2 ? bin : bin - BINS) * BIN_WIDTH;
    total += chance;
    sum += chance * excess;
    squares += chance * excess * excess;
  }
  const mean = sum / total;
  return mean - deviations * Math.sqrt(Math.max(0, squares / total - mean * mean));
}
