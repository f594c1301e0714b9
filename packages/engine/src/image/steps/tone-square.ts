import { ramp } from '../ramps.ts';
import { linearLight } from './curves.ts';
import { FULL, type ToneThumbnail } from './tone-thumbnail.ts';

/** Side of the square, and its pixels. */
export const SIDE = 32;
export const PIXELS = SIDE * SIDE;
/** Power of the levels: near to sRGB's, without its line near black. */
export const GAMMA = 2.2;
/** Coded values from which a channel clips: hardly, and certainly. */
const CLIPPED = [0.975, 1] as const;
/** Steps of the tables of light and levels, between which values are interpolated. */
const STEPS = 4096;

/** A reduced picture, whose tone is measured: three planes of `SIDE` by `SIDE` values each. */
export interface ToneSquare {
  /** Coded values, 0..1 */
  coded: Float32Array;
  /** Linear light, 0..1 */
  light: Float32Array;
  /** Light to the power of 1/2.2, 0..1 */
  levels: Float32Array;
}

/** Returns the square of a thumbnail. */
export const toneSquare = (thumbnail: ToneThumbnail): ToneSquare => squareOf(squaredPlanes(thumbnail));

/** @param coded three planes of coded values, 0..1 */
export function squareOf(coded: Float32Array): ToneSquare {
  const [lights, levels] = tablesOfCoded();
  return { coded, light: interpolated(coded, lights), levels: interpolated(coded, levels) };
}

/** Returns how certainly a coded value clips, 0..1: gradually, so that a sky that is about to clip does not change at once. */
export const clipping = (coded: number): number => (coded <= CLIPPED[0] ? 0 : ramp(coded, CLIPPED));

/** Returns the share of pixels in which at least two channels clip: one clips in a saturated colour too. */
export function clippedPairs({ coded }: ToneSquare): number {
  let clipped = 0;
  for (let i = 0; i < PIXELS; i += 1) {
    const r = coded[i]!;
    const g = coded[PIXELS + i]!;
    const b = coded[2 * PIXELS + i]!;
    clipped += clipping(r + g + b - Math.min(r, g, b) - Math.max(r, g, b));
  }
  return clipped / PIXELS;
}

let tables: [Float32Array, Float32Array] | undefined;

function tablesOfCoded(): [Float32Array, Float32Array] {
  if (tables) return tables;
  const light = Float32Array.from({ length: STEPS + 2 }, (_, i) => linearLight(i / STEPS));
  return (tables = [light, light.map((value) => value ** (1 / GAMMA))]);
}

function interpolated(values: Float32Array, table: Float32Array): Float32Array {
  const found = new Float32Array(values.length);
  for (let i = 0; i < values.length; i += 1) {
    const at = values[i]! * STEPS;
    const left = at | 0;
    found[i] = table[left]! + (table[left + 1]! - table[left]!) * (at - left);
  }
  return found;
}

/**
 * Returns three planes of a square, 0..1, of the means of the opaque cells. Where none is opaque, visible values are repeated, so that
 * what nobody sees has no influence.
 */
function squaredPlanes({ width, height, cells, opaque }: ToneThumbnail): Float32Array {
  const count = PIXELS;
  const planes = new Float32Array(3 * count);
  const [across, down] = [spans(width), spans(height)];
  const [seen, unseen]: [number[], number[]] = [[], []];
  for (let to = 0; to < count; to += 1) {
    const [rows, columns] = [down[(to / SIDE) | 0]!, across[to % SIDE]!];
    let [red, green, blue, total] = [0, 0, 0, 0];
    for (let y = 0; y < rows.shares.length; y += 1) {
      const high = rows.shares[y]!;
      const row = (rows.first + y) * width + columns.first;
      for (let x = 0; x < columns.shares.length; x += 1) {
        const cell = row + x;
        const weight = high * columns.shares[x]! * opaque[cell]!;
        red += weight * cells[3 * cell]!;
        green += weight * cells[3 * cell + 1]!;
        blue += weight * cells[3 * cell + 2]!;
        total += weight * FULL;
      }
    }
    if (total === 0) {
      unseen.push(to);
      continue;
    }
    seen.push(to);
    planes[to] = red / total;
    planes[count + to] = green / total;
    planes[2 * count + to] = blue / total;
  }
  unseen.forEach((to, i) => {
    for (let c = 0; c < 3; c += 1) planes[c * count + to] = planes[c * count + seen[i % seen.length]!]!;
  });
  return planes;
}

/** Neighbouring cells, each with the share of it that lies inside of a span. */
interface Span {
  first: number;
  shares: Float64Array;
}

/** Returns for each of `SIDE` equal spans of a side its cells. */
function spans(cells: number): Span[] {
  const step = cells / SIDE;
  return Array.from({ length: SIDE }, (_, i) => {
    const [from, to] = [i * step, (i + 1) * step];
    const first = Math.floor(from);
    const length = Math.min(cells, Math.ceil(to)) - first;
    const shares = Float64Array.from({ length }, (_cell, n) => Math.min(to, first + n + 1) - Math.max(from, first + n));
    return { first, shares };
  });
}
