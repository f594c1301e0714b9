import { LUMA } from './curves.ts';

/** Entries of a table: coded values of 8 bits. */
export const LEVELS = 256;

/** One correction of a whole picture: a table for each channel, then a matrix. */
export interface ToneCorrection {
  /** Red, green and blue by coded value, `LEVELS` entries each, 0..1 with values beyond for what clips */
  tables: readonly [Float32Array, Float32Array, Float32Array];
  /** Nine values by row; each row sums to 1, so greys stay grey */
  matrix: Float32Array;
}

const LINE = Float32Array.from({ length: LEVELS }, (_, v) => v / (LEVELS - 1));
/** The correction that changes nothing. */
export const NO_CORRECTION: ToneCorrection = {
  tables: [LINE, LINE, LINE],
  matrix: Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
};

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
  return { ...NO_CORRECTION, tables: [table, table, table] };
}

/** Returns three planes of red, green and blue after a correction, all coded values of 0..1. */
export function correctedPlanes(planes: Float32Array, { tables, matrix }: ToneCorrection): Float32Array {
  const count = planes.length / 3;
  const [red, green, blue] = tables;
  const corrected = new Float32Array(planes.length);
  for (let i = 0; i < count; i += 1) {
    const r = valueAt(red, planes[i]!);
    const g = valueAt(green, planes[count + i]!);
    const b = valueAt(blue, planes[2 * count + i]!);
    for (let c = 0; c < 3; c += 1) {
      const value = matrix[3 * c]! * r + matrix[3 * c + 1]! * g + matrix[3 * c + 2]! * b;
      corrected[c * count + i] = Math.min(1, Math.max(0, value));
    }
  }
  return corrected;
}
