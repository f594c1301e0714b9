import { applyLocalLight } from './apply-local-light.ts';
import { LUMA, applyColourChange, applyGain } from './curves.ts';
import type { FaceBox } from '../faces/face-boxes.ts';
import { codedLight, linearLight, ramp, type LightColour } from './light-colour.ts';
import { planLocalLight } from './local-light.ts';
import type { FaceArea } from './local-light.ts';
import { LOOKS } from './looks.ts';
import type { Look, LookSettings } from './looks.ts';
import { guessNoise } from './noise-estimate.ts';
import { colourChannels, isLight, type Picture } from '../picture.ts';
import { measureTone } from './tone-statistics.ts';
import { toneThumbnail } from './tone-thumbnail.ts';

/** Minimum correction of a colour cast, as the logarithm of a gain on linear light. */
const NO_CAST = 0.06;
/** Exponent of the sRGB curve (IEC 61966-2-1), away from black. */
const CODING_EXPONENT = 2.4;
/** Upper bound of a correction, as logarithms: lamps and shade are warm or cool, less often green or magenta. */
const MOST_CAST = { warm: 0.55, green: 0.45 };
/**
 * A picture whose highlights reach `enough` is not underexposed. The highlights of others are raised to `target`,
 * gradually within `ramp`.
 */
const HIGHLIGHTS = { enough: 0.84, target: 0.93, ramp: 0.06 };
/**
 * A picture is overexposed when many pixels are clipped and the others are bright. The correction grows with the clipped share
 * and with the median of the other pixels, both between two values. It takes up to `most` of the light of dark pixels, and less
 * of brighter ones by the power `shoulder`. White stays white.
 */
const OVEREXPOSED = { burnt: [0.18, 0.25], median: [0.45, 0.62], most: 0.34, shoulder: 4 } as const;
/** Blacks above `veiled` have a veil; `part` of their excess over half of `veiled` is removed, up to `most`. */
const BLACKS = { veiled: 0.1, part: 0.8, most: 0.35 };
/** A median luma below this is too dark. Night pictures may stay dark and are only moved towards it. */
const LEAST_MEDIAN = 0.2;
/** Exponent of the strongest midtone curve. */
const LEAST_EXPONENT = 0.65;
/** Mean difference between the channels below which a picture is dull, and below which it is intentionally grey. */
const DULL = 0.08;
const COLOURLESS = 0.015;

/**
 * Corrects tone and colour automatically, in place, from the picture's own statistics. A picture without defects does
 * not change.
 * @param faces detected faces, in pixels: their brightness takes precedence over all other criteria
 * @returns the corrections: names of `balance`, `exposure`, `blacks`, `midtones`, `saturation`, `contrast`, `local
 * light`; empty for none and for CMYK
 */
export function improveTone(picture: Picture, look: Look, faces: readonly FaceBox[] = []): string[] {
  if (!isLight(picture)) return [];
  const thumbnail = toneThumbnail(picture);
  const statistics = measureTone(thumbnail);
  if (!statistics) return [];
  const grey = colourChannels(picture) === 1;
  const { low, median, high, burnt, unburntMedian, light, colourfulness } = statistics;
  const settings = LOOKS[look];
  const gains = grey ? [1] : balance(light, settings);
  const { stretch, gain } = exposure(high, settings);
  const slope = overexposure(burnt, unburntMedian, settings);
  const exposed = (value: number, own = 1): number => Math.min(1, codedLight(linearLight(value) * own * gain));
  const black = blacks(exposed(low), settings);
  const exponent = midtones((exposed(median) - black) / (1 - black), settings);
  const saturation = grey ? 1 : dullness(colourfulness, stretch, settings);
  const { contrast } = settings;
  const byCurves = [
    ...(gains.some((own) => own !== 1) ? ['balance'] : []),
    ...(gain !== 1 ? ['exposure'] : []),
    ...(black !== 0 ? ['blacks'] : []),
    ...(exponent !== 1 ? ['midtones'] : []),
    ...(saturation !== 1 ? ['saturation'] : []),
    ...(contrast !== 1 ? ['contrast'] : []),
  ];
  const curve = (own: number) => (value: number) =>
    softContrast(Math.max(0, (exposed(value, own) - black) / (1 - black)) ** exponent, contrast);
  const curves = gains.map(curve);
  // An overexposed picture has bright highlights, so the curves add no exposure to it.
  const done = slope === 1 ? byCurves : ['exposure', ...byCurves];
  if (slope !== 1) applyGain(picture, (largest) => slope + (1 - slope) * largest ** OVEREXPOSED.shoulder);
  if (byCurves.length > 0) applyColourChange(picture, { curves, saturation });
  const missing = planLocalLight(thumbnail, { strength: settings.localLight, curves, faces: inParts(faces, picture) });
  if (!missing) return done;
  applyLocalLight(picture, missing, guessNoise(picture));
  return [...done, 'local light'];
}

function inParts(faces: readonly FaceBox[], { width, height }: Picture): FaceArea[] {
  return faces.map((face) => ({
    x: face.x / width,
    y: face.y / height,
    width: face.width / width,
    height: face.height / height,
  }));
}

/** Returns the white balance gains on linear light, limited. Pixels of the illuminant's colour keep their luma. */
function balance({ red, blue }: LightColour, { balance: part }: LookSettings): number[] {
  const limited = (value: number, most: number): number => Math.min(most, Math.max(-most, value)) * part;
  const warm = limited((red - blue) / 2, MOST_CAST.warm);
  const green = limited((red + blue) / 2, MOST_CAST.green);
  if (Math.hypot(warm, green) < NO_CAST) return [1, 1, 1];
  const gains = [Math.exp(-green - warm), 1, Math.exp(-green + warm)];
  const light = [Math.exp(red), 1, Math.exp(blue)];
  const kept = computeLuma(light) / computeLuma(light.map((own, i) => own * gains[i]!));
  return gains.map((gain) => gain * kept ** CODING_EXPONENT);
}

/**
 * Returns the luma of a colour in linear light, up to a factor. Luma is a sum of coded values, which are about the
 * 2.4th root of linear light.
 */
function computeLuma(light: readonly number[]): number {
  return LUMA.reduce((sum, weight, i) => sum + weight * light[i]! ** (1 / CODING_EXPONENT), 0);
}

/**
 * Returns the exposure correction: the gain on coded values around the middle, and the equivalent gain on linear light.
 */
function exposure(high: number, { stretchLimit }: LookSettings): { stretch: number; gain: number } {
  const { enough, target, ramp } = HIGHLIGHTS;
  if (high >= enough || high === 0) return { stretch: 1, gain: 1 };
  const full = Math.min(stretchLimit, target / high);
  const stretch = 1 + (full - 1) * Math.min(1, (enough - high) / ramp);
  return { stretch, gain: linearLight(0.5 * stretch) / linearLight(0.5) };
}

/** Returns the slope of the darks for an overexposed picture; 1 for any other. */
function overexposure(burnt: number, median: number, { overexposure: part }: LookSettings): number {
  return 1 - part * OVEREXPOSED.most * ramp(burnt, OVEREXPOSED.burnt) * ramp(median, OVEREXPOSED.median);
}

/** Returns the coded value to map to black; 0 for a picture without a veil. */
function blacks(low: number, { blacks: part }: LookSettings): number {
  if (low <= BLACKS.veiled) return 0;
  return Math.min(BLACKS.most, (low - BLACKS.veiled / 2) * BLACKS.part) * part;
}

/** Returns the exponent that raises a dark median part of the way; 1 for any other. */
function midtones(median: number, { midtones: part }: LookSettings): number {
  if (median >= LEAST_MEDIAN || part === 0) return 1;
  const from = Math.max(0.02, median);
  return Math.max(LEAST_EXPONENT, Math.log(from + (LEAST_MEDIAN - from) * part) / Math.log(from));
}

/**
 * Returns the saturation factor. Exposure also increases saturation, so the measure of dullness is the saturation after
 * it.
 */
function dullness(colourfulness: number, stretch: number, { dullLimit, saturation }: LookSettings): number {
  if (colourfulness < COLOURLESS) return 1;
  return saturation * (1 + (dullLimit - 1) * Math.max(0, 1 - (colourfulness * stretch) / DULL));
}

/** An S-curve through 0, 1/2 and 1 that never clips: a blend of the line and a smooth step. */
function softContrast(value: number, slope: number): number {
  const step = value * value * (3 - 2 * value);
  return value + (step - value) * 2 * (slope - 1);
}
