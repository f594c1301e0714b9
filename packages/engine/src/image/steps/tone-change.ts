import type { NotableTone, ToneNote } from '@burnish/contract/engine';
import { toTenths } from '../to-tenths.ts';
import { LUMA, linearLight } from './curves.ts';
import { percentile } from './tone-statistics.ts';
import { FULL, type ToneThumbnail } from './tone-thumbnail.ts';

/** What a correction did to a picture, measured on its thumbnail before the local gain. */
export interface ToneChange {
  /** Mean linear light, stops */
  light: number;
  /** Spread of luma between its 10th and 90th percentile, factor */
  contrast: number;
  /** Mean difference of the channels of each pixel, factor; 1 for grey */
  saturation: number;
  /** Red over blue in the mean linear light, stops: positive is warmer */
  warmth: number;
  /** Dark areas were brightened besides */
  local: boolean;
}

interface Look {
  light: number;
  spread: number;
  colour: number;
  warmth: number;
}

/** Cells from one that counts to the next: a third of them is enough for these figures. */
const STEP = 3;
/** Keeps the figures finite for a black picture. */
const LEAST = 1e-4;

/** Compares a picture with its corrected version. */
export function describeTone(before: ToneThumbnail, after: ToneThumbnail, local: boolean): ToneChange {
  const [a, b] = [measured(before), measured(after)];
  return {
    light: Math.log2(b.light / a.light),
    contrast: b.spread / a.spread,
    saturation: b.colour / a.colour,
    warmth: b.warmth - a.warmth,
    local,
  };
}

/** Changes below these are not named: stops, and shares of contrast and saturation. */
const NOTABLE = { stops: 0.1, share: 0.05 };

/** Returns the notes on a correction. */
export function toneNotes({ light, contrast, saturation, warmth, local }: ToneChange): ToneNote[] {
  const stops = (name: 'light' | 'warmth', value: number): NotableTone =>
    Math.abs(value) < NOTABLE.stops ? {} : { [name]: toTenths(value) };
  const share = (name: 'contrast' | 'saturation', factor: number): NotableTone =>
    Math.abs(factor - 1) < NOTABLE.share ? {} : { [name]: Math.round((factor - 1) * 100) };
  const notable: NotableTone = {
    ...stops('light', light),
    ...share('contrast', contrast),
    ...share('saturation', saturation),
    ...stops('warmth', warmth),
  };
  const isOnlyLocal = local && Object.keys(notable).length === 0;
  return [
    ...(isOnlyLocal ? [] : [{ code: 'TONE_CORRECTED', ...notable } as const]),
    ...(local ? [{ code: 'SHADOWS_BRIGHTENED' } as const] : []),
  ];
}

function measured({ cells, opaque }: ToneThumbnail): Look {
  const linear = linearCells();
  const histogram = new Int32Array(FULL + 1);
  let [red, green, blue, colour, count] = [0, 0, 0, 0, 0];
  for (let cell = 0; cell < opaque.length; cell += STEP) {
    if (opaque[cell] === 0) continue;
    const r = cells[3 * cell]!;
    const g = cells[3 * cell + 1]!;
    const b = cells[3 * cell + 2]!;
    histogram[(LUMA[0] * r + LUMA[1] * g + LUMA[2] * b + 0.5) | 0]! += 1;
    red += linear[r]!;
    green += linear[g]!;
    blue += linear[b]!;
    colour += Math.max(r, g, b) - Math.min(r, g, b);
    count += 1;
  }
  return {
    light: Math.max(LEAST, (LUMA[0] * red + LUMA[1] * green + LUMA[2] * blue) / count),
    spread: Math.max(LEAST, percentile(histogram, count, 0.9) - percentile(histogram, count, 0.1)),
    colour: Math.max(LEAST, colour / count / FULL),
    warmth: Math.log2((red / count + LEAST) / (blue / count + LEAST)),
  };
}

let linearOfCell: Float64Array | undefined;

/** Returns linear light, 0..1, by the value of a cell. */
function linearCells(): Float64Array {
  return (linearOfCell ??= Float64Array.from({ length: FULL + 1 }, (_, value) => linearLight(value / FULL)));
}
