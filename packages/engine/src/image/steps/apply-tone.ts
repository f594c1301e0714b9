import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { LEVELS, valueAt, withoutTint, type ToneCorrection } from './tone-correction.ts';

/** Fixed-point fraction of the sums of table entries, bits. */
const BITS = 10;
const HALF = 1 << (BITS - 1);
/** Entries for samples of 16 bits: interpolated, fine enough for 12 bits of every sample. */
const FINE_LEVELS = 65_536;

/** Applies a correction in place. Alpha does not change. Grey gets the luma of the result. Not for CMYK. */
export function applyTone(picture: Picture, correction: ToneCorrection): void {
  const max = maxSample(picture);
  if (colourChannels(picture) === 1) applyToGrey(picture, withoutTint(correction).tables[0], max);
  else applyToColour(picture, tableTerms(correction, max), max);
}

/** Returns nine tables: what each channel contributes to each channel of the result, samples in fixed point. */
function tableTerms({ tables, matrix }: ToneCorrection, max: number): Int32Array[] {
  const levels = max === 255 ? LEVELS : FINE_LEVELS;
  const scale = max * (max === 255 ? 1 << BITS : 1);
  return [0, 1, 2].flatMap((to) =>
    tables.map((table, from) =>
      Int32Array.from({ length: levels }, (_, v) => {
        const value = valueAt(table, v / (levels - 1));
        return Math.round(value * matrix[3 * to + from]! * scale);
      }),
    ),
  );
}

function applyToGrey({ data, channels }: Picture, table: Float32Array, max: number): void {
  const samples = Uint16Array.from({ length: max + 1 }, (_, v) => {
    return Math.min(max, Math.max(0, Math.round(valueAt(table, v / max) * max)));
  });
  for (let i = 0; i < data.length; i += channels) data[i] = samples[data[i]!]!;
}

function applyToColour({ data, channels }: Picture, terms: Int32Array[], max: number): void {
  const [rr, rg, rb, gr, gg, gb, br, bg, bb] = terms as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  const shift = max === 255 ? BITS : 0;
  const half = max === 255 ? HALF : 0;
  for (let i = 0; i < data.length; i += channels) {
    const r = data[i]!;
    const g = data[i + 1]!;
    const b = data[i + 2]!;
    const red = (rr[r]! + rg[g]! + rb[b]! + half) >> shift;
    const green = (gr[r]! + gg[g]! + gb[b]! + half) >> shift;
    const blue = (br[r]! + bg[g]! + bb[b]! + half) >> shift;
    data[i] = red < 0 ? 0 : red > max ? max : red;
    data[i + 1] = green < 0 ? 0 : green > max ? max : green;
    data[i + 2] = blue < 0 ? 0 : blue > max ? max : blue;
  }
}
