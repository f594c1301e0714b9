import type { KindOfImage, KindReason } from '@burnish/contract/engine';
import { computeLuma, measurePicture, type PictureFeatures, type Thumb } from './picture-features.ts';
import { isSmooth } from './smooth-surface.ts';

/** A piecewise linear function: weights at ascending values of a feature, constant outside. */
interface Ramp {
  at: readonly number[];
  weights: readonly number[];
}

/** Log-odds of a photograph before any feature counts. */
const BIAS = -0.58;
/**
 * Log-odds of a photograph by feature, an additive logistic model. docs/pdf-images.md describes the pictures that it was fitted
 * to, and its errors on others.
 */
const RAMPS: Partial<Record<keyof PictureFeatures, Ramp>> = {
  flat: { at: [0.0, 0.017, 0.198, 0.535, 1.0], weights: [0.0, -0.37, -0.66, 1.42, 1.33] },
  equal: { at: [0.057, 0.286, 0.525, 0.772, 1.0], weights: [0.0, 2.68, 5.15, 3.72, 3.23] },
  texture: { at: [0.0, 0.587, 0.76, 0.863, 0.966], weights: [0.0, -0.31, -0.43, 1.37, 1.84] },
  calm: { at: [0.083, 0.257, 0.502, 0.733, 1.0], weights: [0.0, -0.25, -3.32, -5.48, -8.03] },
  common: { at: [0.051, 0.197, 0.575, 0.813, 1.0], weights: [0.0, -0.36, -2.23, -3.37, -3.84] },
  colours: { at: [0.0, 5.031, 8.941, 10.268, 11.371], weights: [0.0, -1.02, -3.17, -1.57, -0.63] },
  entropy: { at: [0.0, 2.584, 4.384, 6.843, 9.614], weights: [0.0, -0.07, 0.16, 1.61, 2.62] },
  peaks: { at: [0.0, 0.002, 0.269, 0.579, 0.824], weights: [0.0, -2.24, -3.6, -4.17, -4.25] },
  kurtosis: { at: [0.0, 2.118, 2.777, 3.398, 4.193], weights: [0.0, -1.94, -1.2, -0.61, -0.95] },
  vivid: { at: [0.0, 0.001, 0.034, 0.253], weights: [0.0, 0.8, -1.68, -1.94] },
  hue: { at: [0.0, 0.59, 0.905, 1.0], weights: [0.0, -0.9, 0.06, 1.73] },
  layout: { at: [0.0, 0.316, 0.487, 0.626, 0.797], weights: [0.0, 0.6, 1.95, 0.94, 2.89] },
  surround: { at: [0.0, 0.008, 0.647, 1.0], weights: [0.0, 0.6, 0.08, -0.71] },
  ground: { at: [0.0, 0.118, 0.308, 0.444, 0.642], weights: [0.0, 0.6, 2.27, 2.49, 1.94] },
  near: { at: [0.291, 0.485, 0.63, 0.773, 1.0], weights: [0.0, -0.94, -1.5, -0.42, -0.06] },
};
/** Log-odds from which a picture counts as a photograph. A photograph that keeps its tone costs less than a repainted drawing. */
const PHOTOGRAPH_FROM = 0;
/** Minimum short side, in pixels. A smaller image has too few pixels to judge. */
const MIN_SHORT_SIDE = 64;

/**
 * Tells the kind of a picture from its thumbnail.
 * @param size pixels of the picture itself
 * @param seen 1 for each visible pixel of the thumbnail
 */
export function tellKind(
  thumb: Thumb,
  seen: Uint8Array,
  { width, height }: { width: number; height: number },
): KindOfImage {
  const visible = seen.reduce((sum, each) => sum + each, 0) / Math.max(1, seen.length);
  if (Math.min(width, height) < MIN_SHORT_SIDE || visible * width * height < MIN_SHORT_SIDE ** 2)
    return { kind: 'DRAWING', reason: 'small' };
  const lumas = computeLuma(thumb);
  if (isSmooth(thumb, lumas, seen)) return { kind: 'DRAWING', reason: 'gradients' };
  return kindOfFeatures(measurePicture(thumb, lumas, seen));
}

/** As `tellKind`, from measured features. */
function kindOfFeatures(features: PictureFeatures): KindOfImage {
  const score = Object.entries(RAMPS).reduce(
    (sum, [name, ramp]) => sum + valueAt(ramp, features[name as keyof PictureFeatures]),
    BIAS,
  );
  const [surround, stain] = [surroundSign(features), stainSign(features)];
  if (score - surround - stain - paperSign(features) - gradientSign(features) > PHOTOGRAPH_FROM)
    return { kind: 'PHOTOGRAPH', reason: 'natural' };
  if (surround > 1 && hasTones(features)) return { kind: 'SCIENTIFIC', reason: 'surround' };
  if (isStained(features)) return { kind: 'SCIENTIFIC', reason: 'stain' };
  if (isPaper(features)) return { kind: 'SCAN', reason: 'paper' };
  if (isChart(features)) return { kind: 'CHART', reason: features.equal > 0.85 ? 'ramp' : 'straight' };
  return { kind: 'DRAWING', reason: reasonOfDrawing(features) };
}

function valueAt({ at, weights }: Ramp, value: number): number {
  const next = at.findIndex((each) => each > value);
  if (next === 0) return weights[0]!;
  if (next < 0) return weights.at(-1)!;
  return weights[next - 1]! + (weights[next]! - weights[next - 1]!) * between(value, at[next - 1]!, at[next]!);
}

/** Ramp from 0 at `from` to 1 at `to`. */
const between = (value: number, from: number, to: number): number =>
  Math.max(0, Math.min(1, (value - from) / (to - from)));

/** Log-odds against a photograph: a black border, more so around a picture without colours. */
function surroundSign({ surround, coloured }: PictureFeatures): number {
  return Math.max(coloured < 0.02 ? 3 * between(surround, 0.3, 0.55) : 0, 2 * between(surround, 0.6, 0.75));
}

/** Log-odds against a photograph: colours of few hues on a ground that is bright and even everywhere. */
function stainSign({ coloured, hue, bright, ground }: PictureFeatures): number {
  return (
    4 *
    between(coloured, 0.3, 0.6) *
    between(hue, 0.75, 0.9) *
    between(bright, 175, 195) *
    between(0.45 - ground, 0, 0.1)
  );
}

/** Log-odds against a photograph: most pixels lie near a bright level that hardly changes from tile to tile. */
function paperSign({ near, ground, texture }: PictureFeatures): number {
  return 4 * between(near, 0.33, 0.45) * between(0.32 - ground, 0, 0.1) * between(0.8 - texture, 0, 0.1);
}

/**
 * Log-odds against a photograph: most pixels lie in gradients without grain or detail. An even ground is calm as well,
 * so a common colour takes from the sign.
 */
const gradientSign = ({ calm, equal, common }: PictureFeatures): number =>
  3 * between(calm, 0.48, 0.62) * between(0.7 - equal, 0, 0.1) * between(0.4 - common, 0, 0.15);

/* The tests below name the kinds of pictures that are no photographs. They change no colour. */

const hasTones = ({ texture, common, equal }: PictureFeatures): boolean =>
  texture > 0.5 && common < 0.9 && equal < 0.85;

const isStained = ({ near, ground, coloured, hue, bright }: PictureFeatures): boolean =>
  near < 0.5 && ground < 0.45 && coloured > 0.4 && hue > 0.75 && bright > 175;

const isChart = ({ straight, bright }: PictureFeatures): boolean => straight > (bright > 200 ? 0.34 : 0.55);

const isPaper = ({ near, ground, bright, vivid, common }: PictureFeatures): boolean =>
  near > 0.45 && ground < 0.3 && bright > 170 && vivid < 0.05 && common < 0.6;

function reasonOfDrawing({ flat, common, calm, texture }: PictureFeatures): KindReason {
  if (flat > 0.5) return 'flat';
  if (common > 0.6) return 'few-colours';
  if (calm > 0.5) return 'gradients';
  return texture < 0.5 ? 'lines' : 'unclear';
}
