import { colourChannels, type Picture } from '../picture.ts';
import { applyColourChange } from './curves.ts';
import { lumaTable, valueAt, type ToneCorrection } from './tone-correction.ts';

/** Applies a correction in place. Alpha does not change. Grey gets the luma of the result. Not for CMYK. */
export function applyTone(picture: Picture, correction: ToneCorrection): void {
  const tables = colourChannels(picture) === 1 ? [lumaTable(correction)] : correction;
  const curves = tables.map((table) => (value: number) => valueAt(table, value));
  applyColourChange(picture, { curves, saturation: 1 });
}
