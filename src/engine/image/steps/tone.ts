import { applyLocalLight } from './apply-local-light.ts';
import { LUMA, applyColourChange } from './curves.ts';
import type { FaceBox } from '../faces/face-boxes.ts';
import { codedLight, linearLight, type LightColour } from './light-colour.ts';
import { planLocalLight } from './local-light.ts';
import type { FaceArea } from './local-light.ts';
import { LOOKS } from './looks.ts';
import type { Look, LookSettings } from './looks.ts';
import { guessNoise } from './noise-estimate.ts';
import { colourChannels, isLight, type Picture } from '../picture.ts';
import { statisticsOf } from './tone-statistics.ts';
import { toneThumbnail } from './tone-thumbnail.ts';

/** Gains smaller than this, as logarithms of linear light, are no cast. */
const NO_CAST = 0.06;
/** Of sRGB's curve (IEC 61966-2-1), away from black. */
const CODING_EXPONENT = 2.4;
/** With fewer near-neutral pixels there is nothing to judge the light by; from the second part on they are enough. */
const NEUTRAL_PART = [0.05, 0.15] as const;
/** The most that is believed of a cast, as logarithms: lamps and shade are warm or cool, seldom green or magenta. */
const MOST_CAST = { warm: 0.55, green: 0.15 };
/** A picture that reaches `enough` lacks no exposure; one that lacks it is brought to `target`, by degrees within `ramp`. */
const HIGHLIGHTS = { enough: 0.84, target: 0.93, ramp: 0.06 };
/** Blacks above `veiled` are veiled, and most of their part above half of `veiled` is taken off. */
const BLACKS = { veiled: 0.1, part: 0.8, most: 0.35 };
/** A median of luma below this is dark after all; night may stay so and is only drawn nearer. */
const LEAST_MEDIAN = 0.2;
/** The strongest midtone curve, an exponent. */
const LEAST_EXPONENT = 0.65;
/** Mean distance of the channels below which a picture is dull, and below which it is grey on purpose. */
const DULL = 0.08;
const COLOURLESS = 0.015;

/**
 * Automatic tone and colour, in place, from the picture's own statistics; one that needs nothing stays as it is.
 * @param faces in pixels, where they have been looked for: how light they are decides before all else
 * @returns what was done: names of `balance`, `exposure`, `blacks`, `midtones`, `saturation`, `contrast`, `local light`;
 *   empty for nothing and for CMYK
 */
export function improveTone(picture: Picture, look: Look, faces: readonly FaceBox[] = []): string[] {
  if (!isLight(picture)) return [];
  const thumbnail = toneThumbnail(picture);
  const statistics = statisticsOf(thumbnail);
  if (!statistics) return [];
  const grey = colourChannels(picture) === 1;
  const { low, median, high, light, colourfulness } = statistics;
  const settings = LOOKS[look];
  const gains = grey ? [1] : balance(light, settings);
  const { stretch, gain } = exposure(high, settings);
  const exposed = (value: number, own = 1): number => Math.min(1, codedLight(linearLight(value) * own * gain));
  const black = blacks(exposed(low), settings);
  const exponent = midtones((exposed(median) - black) / (1 - black), settings);
  const saturation = grey ? 1 : dullness(colourfulness, stretch, settings);
  const { contrast } = settings;
  const done = [
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
  if (done.length > 0) applyColourChange(picture, { curves, saturation });
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

/** Gains on linear light that make it neutral: limited, and weaker where little is near neutral. What has the light's colour keeps its luma. */
function balance({ red, blue, neutralPart }: LightColour, { balance: part }: LookSettings): number[] {
  const [least, enough] = NEUTRAL_PART;
  const sure = part * Math.min(1, Math.max(0, (neutralPart - least) / (enough - least)));
  const limited = (value: number, most: number): number => Math.min(most, Math.max(-most, value)) * sure;
  const warm = limited((red - blue) / 2, MOST_CAST.warm);
  const green = limited((red + blue) / 2, MOST_CAST.green);
  if (Math.hypot(warm, green) < NO_CAST) return [1, 1, 1];
  const gains = [Math.exp(-green - warm), 1, Math.exp(-green + warm)];
  const light = [Math.exp(red), 1, Math.exp(blue)];
  const kept = lumaOf(light) / lumaOf(light.map((own, i) => own * gains[i]!));
  return gains.map((gain) => gain * kept ** CODING_EXPONENT);
}

/** Luma of a light, up to a factor; it is made of coded values, which go about with the 2.4th root of light. */
function lumaOf(light: readonly number[]): number {
  return LUMA.reduce((sum, weight, i) => sum + weight * light[i]! ** (1 / CODING_EXPONENT), 0);
}

/** The missing light: as a stretch of coded values around the middle, and as the gain on linear light that does it. */
function exposure(high: number, { stretchLimit }: LookSettings): { stretch: number; gain: number } {
  const { enough, target, ramp } = HIGHLIGHTS;
  if (high >= enough || high === 0) return { stretch: 1, gain: 1 };
  const full = Math.min(stretchLimit, target / high);
  const stretch = 1 + (full - 1) * Math.min(1, (enough - high) / ramp);
  return { stretch, gain: linearLight(0.5 * stretch) / linearLight(0.5) };
}

/** The coded value that becomes black; 0 where black is there already. */
function blacks(low: number, { blacks: part }: LookSettings): number {
  if (low <= BLACKS.veiled) return 0;
  return Math.min(BLACKS.most, (low - BLACKS.veiled / 2) * BLACKS.part) * part;
}

/** Exponent that draws a dark median part of the way up; 1 for any other. */
function midtones(median: number, { midtones: part }: LookSettings): number {
  if (median >= LEAST_MEDIAN || part === 0) return 1;
  const from = Math.max(0.02, median);
  return Math.max(LEAST_EXPONENT, Math.log(from + (LEAST_MEDIAN - from) * part) / Math.log(from));
}

/** Exposure makes colours stronger as well, so what counts is how dull it leaves them. */
function dullness(colourfulness: number, stretch: number, { dullLimit, saturation }: LookSettings): number {
  if (colourfulness < COLOURLESS) return 1;
  return saturation * (1 + (dullLimit - 1) * Math.max(0, 1 - (colourfulness * stretch) / DULL));
}

/** An S-curve through 0, 1/2 and 1 that never clips: a blend of the line and a smooth step. */
function softContrast(value: number, slope: number): number {
  const step = value * value * (3 - 2 * value);
  return value + (step - value) * 2 * (slope - 1);
}
