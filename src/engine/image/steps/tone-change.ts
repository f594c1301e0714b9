import { LUMA, linearLight } from './curves.ts';
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

/** Returns the notes of the record, such as `Light +0.7 stops, contrast +12 %, warmth −0.2 stops.` */
export function toneNotes({ light, contrast, saturation, warmth, local }: ToneChange): string[] {
  const stops = (name: string, value: number): string[] =>
    Math.abs(value) < NOTABLE.stops ? [] : [`${name} ${signed(value.toFixed(1))} stops`];
  const share = (name: string, factor: number): string[] =>
    Math.abs(factor - 1) < NOTABLE.share ? [] : [`${name} ${signed(String(Math.round((factor - 1) * 100)))} %`];
  const parts = [
    ...stops('light', light),
    ...share('contrast', contrast),
    ...share('saturation', saturation),
    ...stops('warmth', warmth),
  ];
  const whole = parts.length > 0 ? `Tone and colour were corrected: ${parts.join(', ')}.` : undefined;
  return [
    ...(whole ? [whole] : local ? [] : ['Tone and colour were corrected a little.']),
    ...(local ? ['Dark areas were brightened.'] : []),
  ];
}

/** Writes a sign before each number, with the minus of typography. */
const signed = (value: string): string => (value.startsWith('-') ? `−${value.slice(1)}` : `+${value}`);

function measured({ cells, opaque }: ToneThumbnail): Look {
  const lumas: number[] = [];
  let [red, green, blue, colour] = [0, 0, 0, 0];
  for (let cell = 0; cell < opaque.length; cell += 1) {
    if (opaque[cell] === 0) continue;
    const [r, g, b] = [0, 1, 2].map((c) => cells[3 * cell + c]! / FULL) as [number, number, number];
    lumas.push(LUMA[0] * r + LUMA[1] * g + LUMA[2] * b);
    red += linearLight(r);
    green += linearLight(g);
    blue += linearLight(b);
    colour += Math.max(r, g, b) - Math.min(r, g, b);
  }
  const count = lumas.length;
  const sorted = Float32Array.from(lumas).sort();
  return {
    light: Math.max(LEAST, (LUMA[0] * red + LUMA[1] * green + LUMA[2] * blue) / count),
    spread: Math.max(LEAST, sorted[(count * 0.9) | 0]! - sorted[(count * 0.1) | 0]!),
    colour: Math.max(LEAST, colour / count),
    warmth: Math.log2((red / count + LEAST) / (blue / count + LEAST)),
  };
}
