import type { ImageParameters } from '../../domain/parameters.ts';
import { applyColourChange } from './curves.ts';
import type { ColourChange } from './curves.ts';
import { colourChannels } from './picture.ts';
import type { Picture } from './picture.ts';
import { toneStatistics } from './tone-statistics.ts';
import type { ToneStatistics } from './tone-statistics.ts';

type Look = Exclude<ImageParameters['mode'], 'OFF'>;

interface LookSettings {
  /** Part of a colour cast that is taken out, and the most that a channel's gain may differ from 1 */
  balance: number;
  gainLimit: number;
  /** The most that the range of luma is stretched by */
  stretchLimit: number;
  /** Part of the way that the median goes towards the band */
  midtones: number;
  /** The most that a dull picture's saturation is raised to, and what every picture's is raised by */
  dullLimit: number;
  saturation: number;
  /** Slope in the midtones of a soft S-curve, 1 for none */
  contrast: number;
}

const LOOKS: Record<Look, LookSettings> = {
  NATURAL: {
    balance: 0.5,
    gainLimit: 0.12,
    stretchLimit: 1.25,
    midtones: 0.4,
    dullLimit: 1.1,
    saturation: 1,
    contrast: 1,
  },
  ENHANCE: {
    balance: 0.8,
    gainLimit: 0.2,
    stretchLimit: 1.7,
    midtones: 0.7,
    dullLimit: 1.25,
    saturation: 1,
    contrast: 1,
  },
  VIVID: {
    balance: 0.8,
    gainLimit: 0.2,
    stretchLimit: 1.9,
    midtones: 0.7,
    dullLimit: 1.35,
    saturation: 1.22,
    contrast: 1.15,
  },
};

/** A median of luma inside the band is as it should be; night and snow may lie outside and are only drawn nearer. */
const MEDIAN_BAND = [0.3, 0.6] as const;
/** Percentiles this near to black and white need no stretch. */
const ENOUGH_RANGE = { low: 0.04, high: 0.94 };
/** Mean distance of the channels below which a picture is dull, and below which it is grey on purpose. */
const DULL = 0.16;
const COLOURLESS = 0.015;
/** Gains this near to 1 are no cast. */
const NO_CAST = 0.02;
/** With fewer near-neutral pixels than this there is nothing to judge the light by. */
const ENOUGH_NEUTRAL = 0.08;

/**
 * Automatic tone and colour, in place, from the picture's own statistics; one that needs nothing stays as it is.
 * @returns what was done: names of `balance`, `range`, `midtones`, `saturation`, `contrast`; empty for nothing and for CMYK
 */
export function improveTone(picture: Picture, look: Look): string[] {
  const statistics = picture.space === 'cmyk' ? undefined : toneStatistics(picture);
  if (!statistics) return [];
  const { change, done } = plan(statistics, LOOKS[look], colourChannels(picture) === 1);
  if (done.length > 0) applyColourChange(picture, change);
  return done;
}

function plan(s: ToneStatistics, look: LookSettings, grey: boolean): { change: ColourChange; done: string[] } {
  const gains = grey ? [1] : balance(s, look);
  const [low, high] = range(s, look);
  const median = Math.min(0.98, Math.max(0.02, (s.median - low) / (high - low)));
  const exponent = midtones(median, look);
  const saturation = grey || s.colourfulness < COLOURLESS ? 1 : look.saturation * dullness(s, look);
  const done = [
    ...(gains.some((gain) => gain !== 1) ? ['balance'] : []),
    ...(low !== 0 || high !== 1 ? ['range'] : []),
    ...(exponent !== 1 ? ['midtones'] : []),
    ...(saturation !== 1 ? ['saturation'] : []),
    ...(look.contrast !== 1 ? ['contrast'] : []),
  ];
  const curve = (gain: number) => (value: number) => {
    const stretched = Math.min(1, Math.max(0, (value * gain - low) / (high - low)));
    return softContrast(stretched ** exponent, look.contrast);
  };
  return { change: { curves: gains.map(curve), saturation }, done };
}

/** Gains that make the light grey: clamped, weaker where few pixels are near neutral, and keeping luma as it was. */
function balance({ light, neutralPart }: ToneStatistics, { balance: part, gainLimit }: LookSettings): number[] {
  const sure = Math.min(1, neutralPart / (3 * ENOUGH_NEUTRAL));
  if (neutralPart < ENOUGH_NEUTRAL) return [1, 1, 1];
  const wanted = light.map((value) => 1 + (1 / value - 1) * part * sure);
  if (wanted.every((gain) => Math.abs(gain - 1) < NO_CAST)) return [1, 1, 1];
  const gains = wanted.map((gain) => Math.min(1 + gainLimit, Math.max(1 - gainLimit, gain)));
  const luma = 0.2126 * gains[0]! + 0.7152 * gains[1]! + 0.0722 * gains[2]!;
  return gains.map((gain) => gain / luma);
}

/** What becomes black and white: the percentiles, as far as the limit of the stretch lets them. */
function range({ low, high }: ToneStatistics, { stretchLimit }: LookSettings): [number, number] {
  let from = low > ENOUGH_RANGE.low ? low - 0.01 : 0;
  let to = high < ENOUGH_RANGE.high ? high + 0.02 : 1;
  const missing = 1 / stretchLimit - (to - from);
  if (missing > 0) {
    // Given back in proportion to what either end would have taken.
    const total = from + 1 - to;
    const fromPart = from / total;
    from -= missing * fromPart;
    to += missing * (1 - fromPart);
  }
  return [from, to];
}

/** Exponent that draws the median towards the band; 1 inside it. */
function midtones(median: number, { midtones: part }: LookSettings): number {
  const [least, most] = MEDIAN_BAND;
  const edge = median < least ? least : median > most ? most : median;
  if (edge === median) return 1;
  const target = median + (edge - median) * part;
  return Math.min(1.3, Math.max(0.6, Math.log(target) / Math.log(median)));
}

function dullness({ colourfulness }: ToneStatistics, { dullLimit }: LookSettings): number {
  return colourfulness < DULL ? 1 + (dullLimit - 1) * (1 - colourfulness / DULL) : 1;
}

/** An S-curve through 0, 1/2 and 1 that never clips: a blend of the line and a smooth step. */
function softContrast(value: number, slope: number): number {
  const step = value * value * (3 - 2 * value);
  return value + (step - value) * 2 * (slope - 1);
}
