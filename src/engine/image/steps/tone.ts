import { applyLocalLight } from './apply-local-light.ts';
import { nightConfidence } from './night.ts';
import { reduceRaisedNoise, type GainMap } from './raised-noise.ts';
import { applyColourChange, codedLight, linearLight } from './curves.ts';
import type { FaceBox } from '../faces/face-boxes.ts';
import { planLightGains, type LightGains } from './light-gains.ts';
import { ramp } from './light-colour.ts';
import { planLocalLight, TOE } from './local-light.ts';
import type { FaceArea } from './local-light.ts';
import { LOOKS } from './looks.ts';
import type { Look, LookSettings } from './looks.ts';
import { guessNoise } from './noise-estimate.ts';
import { colourChannels, isLight, type Picture } from '../picture.ts';
import { blackLevel, measureTone } from './tone-statistics.ts';
import { toneThumbnail, type ToneThumbnail } from './tone-thumbnail.ts';

/** Blacks above `veiled` have a veil; the correction takes up to `most`, and fades as the median passes `bright`. */
const BLACKS = { veiled: 0.16, most: 0.35, bright: [0.5, 0.7] } as const;
/** Rise of the black point by the local gain. */
const BLACK_RISE = 4 / 255;
/** Power of the distance to white by which the correction of the black point falls, so that mid tones stay. */
const TOE_POWER = 4;
/** Mean difference between the channels below which a picture is dull, and below which it is intentionally grey. */
const DULL = 0.08;
const COLOURLESS = 0.015;

/**
 * Corrects tone and colour automatically, in place, from the picture's own statistics. A picture without defects does
 * not change.
 * @param faces detected faces, in pixels: their brightness takes precedence over all other criteria
 * @returns the corrections: names of `balance`, `exposure`, `blacks`, `saturation`, `contrast`, `local
 * light`; empty for none and for CMYK
 */
export function improveTone(picture: Picture, look: Look, faces: readonly FaceBox[] = []): string[] {
  if (!isLight(picture)) return [];
  const thumbnail = toneThumbnail(picture);
  const statistics = measureTone(thumbnail);
  if (!statistics || statistics.drawn === 1) return [];
  const settings = weakened(LOOKS[look], { drawn: statistics.drawn, night: nightConfidence(statistics) });
  const grey = colourChannels(picture) === 1;
  const light = planLightGains(thumbnail, statistics, settings, grey);
  const { curves, saturation, steps } = planCurves(light, statistics.median, settings);
  if (steps.length > 0) applyColourChange(picture, { curves, saturation });
  const noise = guessNoise(picture);
  const missing = planLocalLight(thumbnail, {
    strength: settings.localLight,
    curves,
    faces: inParts(faces, picture),
    noise: noise / 255,
  });
  if (missing) {
    applyLocalLight(picture, missing, noise);
    keepBlack(picture, thumbnail, curves);
  }
  reduceRaisedNoise(picture, missing ?? evenGain(curves, statistics.median));
  return missing ? [...steps, 'local light'] : steps;
}

/** Returns a look whose corrections are smaller for a drawing, and whose gains are smaller for a night scene. */
function weakened(look: LookSettings, { drawn, night }: { drawn: number; night: number }): LookSettings {
  const part = 1 - drawn;
  const byDay = part * (1 - night);
  return {
    balance: look.balance * byDay,
    stretchLimit: look.stretchLimit ** byDay,
    blacks: look.blacks * part,
    localLight: look.localLight * byDay,
    dullLimit: 1 + (look.dullLimit - 1) * byDay,
    saturation: 1 + (look.saturation - 1) * part,
    contrast: 1 + (look.contrast - 1) * part,
  };
}

interface CurvePlan {
  curves: ((value: number) => number)[];
  saturation: number;
  steps: string[];
}

/** @param median of luma before the gains */
function planCurves(
  { gains, balanced, exposed, levels }: LightGains,
  median: number,
  settings: LookSettings,
): CurvePlan {
  const black = blacks(levels.low, median, settings);
  // Highlights keep their level, so that a second enhancement finds them at their target.
  const range = 1 - black / Math.max(levels.high, black + 0.1);
  const saturation = gains.length === 1 ? 1 : dullness(levels.colourfulness, settings);
  const { contrast } = settings;
  const steps = [
    ...(balanced ? ['balance'] : []),
    ...(exposed ? ['exposure'] : []),
    ...(black !== 0 ? ['blacks'] : []),
    ...(saturation !== 1 ? ['saturation'] : []),
    ...(contrast !== 1 ? ['contrast'] : []),
  ];
  const curve = (gain: number) => (value: number) => {
    const lit = Math.min(1, codedLight(linearLight(value) * gain));
    return softContrast(Math.min(1, Math.max(0, (lit - black) / range)), contrast);
  };
  return { curves: gains.map(curve), saturation, steps };
}

/** Returns the gain of the curves at the median as a map of one cell. */
function evenGain(curves: CurvePlan['curves'], median: number): GainMap {
  const gain = Math.max(...curves.map((curve) => Math.log((curve(median) + TOE) / (median + TOE))));
  return { width: 1, height: 1, gains: Float32Array.of(gain) };
}

/** Moves the black point back to that of the curves plus a little, so that raised shadows are not hazy. */
function keepBlack(picture: Picture, before: ToneThumbnail, curves: CurvePlan['curves']): void {
  const allowed = Math.max(...curves.map((curve) => curve(blackLevel(before)))) + BLACK_RISE;
  const black = blackLevel(toneThumbnail(picture));
  if (black <= allowed) return;
  const cut = (black - allowed) / (1 - black) ** TOE_POWER;
  const curve = (value: number): number => Math.max(0, value - cut * (1 - value) ** TOE_POWER);
  applyColourChange(picture, { curves: curves.map(() => curve), saturation: 1 });
}

function inParts(faces: readonly FaceBox[], { width, height }: Picture): FaceArea[] {
  return faces.map((face) => ({
    x: face.x / width,
    y: face.y / height,
    width: face.width / width,
    height: face.height / height,
  }));
}

/**
 * Returns the coded value to map to black, so that the lowest values become `BLACKS.veiled`; 0 for a picture without a
 * veil, and less for a bright one, whose content is bright.
 * @param low after the exposure
 * @param median before it, so that a flat picture does not count as bright
 */
function blacks(low: number, median: number, { blacks: part }: LookSettings): number {
  if (low <= BLACKS.veiled) return 0;
  const veil = (low - BLACKS.veiled) / (1 - BLACKS.veiled);
  return Math.min(BLACKS.most, veil) * part * (1 - ramp(median, BLACKS.bright));
}

/** Returns the saturation factor. */
function dullness(colourfulness: number, { dullLimit, saturation }: LookSettings): number {
  if (colourfulness < COLOURLESS) return 1;
  return saturation * (1 + (dullLimit - 1) * Math.max(0, 1 - colourfulness / DULL));
}

/** An S-curve through 0, 1/2 and 1 that never clips: a blend of the line and a smooth step. */
function softContrast(value: number, slope: number): number {
  const step = value * value * (3 - 2 * value);
  return value + (step - value) * 2 * (slope - 1);
}
