import { colourChannels, type Picture } from '../picture.ts';
import { applyColourChange, LUMA } from './curves.ts';

/** Entries of a table: coded values of 8 bits. */
export const LEVELS = 256;

/** A correction of a whole picture: tables of red, green and blue by coded value, `LEVELS` entries each, 0..1. */
export type ToneCorrection = readonly [Float32Array, Float32Array, Float32Array];

/** Returns the value of a table at a coded value, 0..1. */
export function valueAt(table: Float32Array, coded: number): number {
  const at = coded * (LEVELS - 1);
  const left = Math.min(LEVELS - 2, at | 0);
  return table[left]! + (table[left + 1]! - table[left]!) * (at - left);
}

/** Returns a part of a correction, 0..1. */
export function partOf(tables: ToneCorrection, part: number): ToneCorrection {
  const [red, green, blue] = tables.map((table) =>
    table.map((value, v) => value * part + (v / (LEVELS - 1)) * (1 - part)),
  );
  return [red!, green!, blue!];
}

/** Returns the one table of a correction that tints nothing: the luma of its result for greys. */
export function lumaTable(tables: ToneCorrection): Float32Array {
  return tables[0].map((_, v) => LUMA.reduce((luma, weight, c) => luma + weight * tables[c]![v]!, 0));
}

/** Applies a correction in place. Alpha does not change. Grey gets the luma of the result. Not for CMYK. */
export function applyTone(picture: Picture, correction: ToneCorrection): void {
  const tables = colourChannels(picture) === 1 ? [lumaTable(correction)] : correction;
  const curves = tables.map((table) => (value: number) => valueAt(table, value));
  applyColourChange(picture, { curves, saturation: 1 });
}
