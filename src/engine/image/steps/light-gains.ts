import { LUMA, linearLight } from './curves.ts';
import { ramp, type LightColour } from './light-colour.ts';
import type { LookSettings } from './looks.ts';
import { measureLevels, measureLight, type ToneLevels } from './tone-statistics.ts';
import { brightenThumbnail, type ToneThumbnail } from './tone-thumbnail.ts';

/**
 * Logarithm of a gain on linear light. Dusk, mist and lamps tint good photographs, so a cast up to this size stays, and stronger ones are
 * reduced to it. A second enhancement then finds nothing to correct.
 */
const MILD_CAST = 0.2;
/**
 * Share of a cast that a second estimate finds after the correction: up to the first value the estimates agree, from the second
 * they disagree, and the cast stays.
 */
const REMAINDER = [0.4, 0.8] as const;
/** Upper bound of a correction, as logarithms: lamps and shade are warm or cool, less often green or magenta. */
const MOST_CAST = { warm: 0.8, green: 0.45 };
/** Exponent of the sRGB curve (IEC 61966-2-1), away from black. */
const CODING_EXPONENT = 2.4;
/**
 * The brightest points are raised to this level, so that the darker of two exposures never becomes the brighter. Most good photographs have
 * such points, also where larger areas stay dark, as in fog or between leaves.
 */
const BRIGHTEST = 0.92;

const NO_CAST: LightColour = { red: 0, blue: 0 };

export interface LightGains {
  /** Gains on linear light: one for grey, three for RGB */
  gains: readonly number[];
  /** Whether the gains correct a cast, and the exposure */
  balanced: boolean;
  exposed: boolean;
  /** Levels after the gains */
  levels: ToneLevels;
}

/**
 * Plans white balance and exposure, both as gains on linear light. The levels and the light are measured again after each
 * correction, so that a second enhancement finds neither a cast nor missing exposure.
 */
export function planLightGains(
  thumbnail: ToneThumbnail,
  levels: ToneLevels,
  { balance: part, stretchLimit }: Pick<LookSettings, 'balance' | 'stretchLimit'>,
  grey: boolean,
): LightGains {
  const correct = (cast: LightColour, share: number): LightGains & { thumbnail: ToneThumbnail } => {
    const balance = grey ? [1] : gainsAgainst(cast, share);
    const balanced = balance.some((gain) => gain !== 1);
    const gain = exposureGain(
      balanced ? measureLevels(brightenThumbnail(thumbnail, balance)).points : levels.points,
      stretchLimit,
    );
    const gains = balance.map((value) => value * gain);
    if (gains.every((value) => value === 1)) return { gains, balanced, exposed: false, levels, thumbnail };
    const after = brightenThumbnail(thumbnail, gains);
    return { gains, balanced, exposed: gain !== 1, levels: measureLevels(after), thumbnail: after };
  };
  const exposed = correct(NO_CAST, 1);
  if (grey || part === 0) return exposed;
  const first = notableCast(exposed.thumbnail);
  if (size(first) === 0) return exposed;
  const rest = notableCast(correct(first, 1).thumbnail);
  const sure = 1 - ramp(size(rest) / size(first), REMAINDER);
  return correct({ red: (first.red + rest.red) * sure, blue: (first.blue + rest.blue) * sure }, part);
}

/** Returns the gain on linear light that raises the brightest points to their target, limited on coded values. */
function exposureGain(points: number, stretchLimit: number): number {
  if (points >= BRIGHTEST || points === 0) return 1;
  return linearLight(Math.min(BRIGHTEST, points * stretchLimit)) / linearLight(points);
}

/** Returns the part of the cast that is worth a correction. */
function notableCast(thumbnail: ToneThumbnail): LightColour {
  const light = measureLight(thumbnail);
  const part = Math.max(0, 1 - MILD_CAST / size(light));
  return { red: light.red * part, blue: light.blue * part };
}

/** Returns the size of the gains against a cast, as a logarithm. */
const size = ({ red, blue }: LightColour): number => Math.hypot((red - blue) / 2, (red + blue) / 2);

/** Returns the gains that make a light neutral, limited. Pixels of the colour of the light keep their luma. */
function gainsAgainst({ red, blue }: LightColour, part: number): readonly number[] {
  if (red === 0 && blue === 0) return [1, 1, 1];
  const limited = (value: number, most: number): number => Math.min(most, Math.max(-most, value)) * part;
  const warm = limited((red - blue) / 2, MOST_CAST.warm);
  const green = limited((red + blue) / 2, MOST_CAST.green);
  const gains = [Math.exp(-green - warm), 1, Math.exp(-green + warm)];
  const light = [Math.exp(red), 1, Math.exp(blue)];
  const kept = (computeLuma(light) / computeLuma(light.map((own, i) => own * gains[i]!))) ** CODING_EXPONENT;
  return gains.map((gain) => gain * kept);
}

/**
 * Returns the luma of a colour in linear light, up to a factor. Luma is a sum of coded values, which are about the
 * 2.4th root of linear light.
 */
function computeLuma(light: readonly number[]): number {
  return LUMA.reduce((sum, weight, i) => sum + weight * light[i]! ** (1 / CODING_EXPONENT), 0);
}
