import { fileURLToPath } from 'node:url';
import { loadSession } from '../../neural/network.ts';
import { PACKAGE_FOLDER } from '../../package-folder.ts';
import { codedLight, LUMA, linearLight } from './curves.ts';
import { FULL, type ToneThumbnail } from './tone-thumbnail.ts';

const MODEL = fileURLToPath(new URL('models/tone/tone.onnx', PACKAGE_FOLDER));
/** Side of the network's input, pixels. */
const SIDE = 64;
/** Entries of a table: coded values of 8 bits. */
export const LEVELS = 256;

/**
 * Coded value to which a picture's brightest points rise before the network sees it: it learned from up to 2.8 stops too little. At four
 * stops, the mean ΔE on the small set of `bench:quality` is then 6.9 instead of 12.0.
 */
const LEAST_POINTS = 0.46;

/** Mean ΔE below which a correction changes hardly a sample, and is not worth its price. */
const LEAST_CHANGE = 0.1;

/** One correction of a whole picture: a table for each channel, then a matrix. */
export interface ToneCorrection {
  /** Red, green and blue by coded value, `LEVELS` entries each, 0..1 with values beyond for what clips */
  tables: readonly [Float32Array, Float32Array, Float32Array];
  /** Nine values by row; each row sums to 1, so greys stay grey */
  matrix: Float32Array;
}

/**
 * Predicts the correction of a picture from its thumbnail (tools/train/tone), with one thread and in about 3 ms.
 * @param points coded value of the brightest points, 0..1
 * @returns undefined for a picture that needs none
 * @throws Error when the network cannot run on this machine
 */
export async function predictTone(thumbnail: ToneThumbnail, points: number): Promise<ToneCorrection | undefined> {
  const network = await loadSession(MODEL, 1, 'disabled');
  const gain = points > 0 && points < LEAST_POINTS ? linearLight(LEAST_POINTS) / linearLight(points) : 1;
  const lit = (value: number): number => (gain === 1 ? value : Math.min(1, codedLight(linearLight(value) * gain)));
  const { tables, matrix, change } = await network.run(squared(thumbnail).map(lit), SIDE, SIDE);
  const [difference, strength] = change!.data as unknown as [number, number];
  if (difference * strength < LEAST_CHANGE && gain === 1) return undefined;
  const all = tables!.data as Float32Array;
  const [red, green, blue] = [0, 1, 2].map((c) => {
    const table = all.slice(c * LEVELS, (c + 1) * LEVELS);
    return table.map((_, v) => valueAt(table, lit(v / (LEVELS - 1))));
  });
  return { tables: [red!, green!, blue!], matrix: Float32Array.from(matrix!.data as Float32Array) };
}

/** Returns the value of a table at a coded value, 0..1. */
export function valueAt(table: Float32Array, coded: number): number {
  const at = coded * (LEVELS - 1);
  const left = Math.min(LEVELS - 2, at | 0);
  return table[left]! + (table[left + 1]! - table[left]!) * (at - left);
}

/** Returns a part of a correction, 0..1. */
export function partOf({ tables, matrix }: ToneCorrection, part: number): ToneCorrection {
  const [red, green, blue] = tables.map((table) =>
    table.map((value, v) => value * part + (v / (LEVELS - 1)) * (1 - part)),
  );
  return {
    tables: [red!, green!, blue!],
    matrix: matrix.map((value, i) => value * part + (i % 4 === 0 ? 1 - part : 0)),
  };
}

/** Returns a correction that tints nothing: the luma of its result for greys. */
export function withoutTint({ tables, matrix }: ToneCorrection): ToneCorrection {
  const table = tables[0].map((_, v) => {
    return LUMA.reduce((luma, weight, to) => {
      const result = tables.reduce((sum, own, from) => sum + matrix[3 * to + from]! * own[v]!, 0);
      return luma + weight * result;
    }, 0);
  });
  return { tables: [table, table, table], matrix: Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1) };
}

/**
 * Returns three planes of a square, 0..1, of the means of the opaque cells. Where none is opaque, visible values are repeated, so that
 * what nobody sees has no influence.
 */
function squared({ width, height, cells, opaque }: ToneThumbnail): Float32Array {
  const count = SIDE * SIDE;
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
