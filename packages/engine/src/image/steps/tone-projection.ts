import type { LeftTone, LeftToneReason } from '@burnish/contract/engine';
import type { Skin } from '../faces/skin.ts';
import { ramp } from '../ramps.ts';
import { toTenths } from '../to-tenths.ts';
import {
  canonicalPlanes,
  levelPlanes,
  measureCoordinates,
  middleLogit,
  quantile,
  tablesBetween,
  whitePoint,
  withMiddleMoved,
  type ToneCoordinates,
} from './tone-coordinates.ts';
import { valueAt, type ToneCorrection } from './tone-correction.ts';
import { frame, toneFeatures } from './tone-features.ts';
import { castOfSkin, excessOfSkin } from './tone-skin.ts';
import { shiftLikelihood } from './tone-likelihood.ts';
import { BINS as BRIGHTNESS_BINS, brightnessHistograms, middleExcess } from './tone-middle.ts';
import { PARTS, quantilesOf, toneRegion } from './tone-region.ts';
import { clippedPairs, GAMMA, PIXELS, squareOf, type ToneSquare } from './tone-square.ts';
import { BINS as COLOUR_BINS, colourHistograms, excessiveCast, paleness, type Cast } from './tone-white-point.ts';

/** Stops of white that a good photograph may miss. */
const WHITE_MARGIN = 0.15;
/** Courage of each level: white is well known, and less black hardly hurts. */
const [WHITE_COURAGE, BLACK_COURAGE, MOST_COURAGE] = [0.2, 1.6, 0.48];
/** Courage of the white point and of the middle. */
const [CAST_COURAGE, MIDDLE_COURAGE] = [0.65, 1.2];
/** Logits of the middle of a scene whose light is its subject, such as a stage or a street by night: certainly, and none. */
const LOW_KEY = [-1.4, -0.9] as const;
/** Logarithms of red over blue, and of blue over red, of a sunset, and of a sky or dusk: none, and certainly. */
const [SUNSET, DUSK] = [
  [1.5, 1.6],
  [1.6, 1.8],
] as const;
/** The same by which the brightest pixels are less warm than others, for the light of no lamp and of a certain one. */
const LAMP = [0.35, 0.65] as const;
/** Share of pixels in which two channels clip: no sign of too much light, and a certain one. */
const PROOF = [0.005, 0.2] as const;
/** The same beside skin that is too bright. */
const PROOF_OF_SKIN = [0.01, 0.04] as const;
/** Cast from which faces are searched for: the search takes longer than all else. */
const DOUBTFUL_CAST = 0.15;
/** Logits of the middle from which skin that is too bright is no lit face in the dark: hardly, and certainly. */
const BRIGHT = [-0.4, 0] as const;
/** Excess of the middle that is removed at most, as a difference of logits. */
const MOST_EXCESS = 2;
/** Stops of white and share of black by which the range widens for a picture that is kept. */
export const KEPT_MARGIN = 8;
/** Share of neutral white, as in a chart, beside which everything may be light, and which proves the white point: none, and certainly. */
export const MUCH_WHITE = [0.1, 0.25] as const;
/** Margin from which night or an object on white is why something stays. */
const LEAST_KEPT = 0.1;
/** Stops of light or of a cast from which it is told that they stay. */
const LEAST_LEFT = 0.3;
/** Difference of a coordinate below which nothing changes. */
export const LEAST_CHANGE = 0.02;
/** Width in pixels of the frame of an object on white, and its share that is white: none, and certainly. */
const [FRAME, WHITE_FRAME] = [3, [0.4, 0.65]] as const;

/** A picture whose coordinates are judged: its facts, and the margin by which it stays as it is. */
interface Seen {
  square: ToneSquare;
  /** White point as the scene has it */
  found: Cast;
  from: ToneCoordinates;
  features: Float32Array;
  /** Share of pixels that are white in all channels, 0..1 */
  whiteShare: number;
  courage: number;
  /** Margin by which ranges widen: the picture is night, or an object on white */
  kept: number;
  /** Which of both */
  keptAs: LeftToneReason;
  skin: Skin | undefined;
}

export interface ToneProjection {
  /** What moves the picture; undefined where it is acceptable as it is */
  correction: ToneCorrection | undefined;
  /** What no good photograph of such content has, and yet stays */
  left: LeftTone[];
  /** Whether the light or its colour is in doubt, so that skin would tell more */
  isDoubtful: boolean;
}

/**
 * Clamps white point, levels and middle of a picture to those that good photographs of such content have. More light in is never less
 * out, a second pass changes nothing, and an acceptable picture stays as it is.
 * @param courage share of good photographs beyond the range at each end, 0..0.5
 * @param night confidence that the picture is a night scene, 0..1: the range widens, and nothing fades
 * @param white share of its pixels that are white in all channels, 0..1
 * @param skin of its faces, where they are known
 */
export function projectTone(
  square: ToneSquare,
  courage: number,
  { night, white: whiteShare, skin }: { night: number; white: number; skin?: Skin | undefined },
): ToneProjection {
  const found = whitePoint(square);
  const from = measureCoordinates(square, found);
  const features = toneFeatures(canonicalPlanes(square, from), square.coded);
  const ground = onWhite(square.coded);
  const kept = KEPT_MARGIN * Math.max(night, ground) ** 2;
  const keptAs = night > ground ? 'night' : 'white-ground';
  const seen: Seen = { square, found, from, features, whiteShare, courage, kept, keptAs, skin };

  const black = acceptableBlack(seen);
  const { cast, left: leftCast } = excessCast(seen, black);
  const { excess, left: leftExcess } = excessMiddle(seen, black, cast);
  const { middle } = withMiddleMoved({ ...from, black }, -excess);
  const white = acceptableWhite(seen, black, middle);
  const to = { warm: from.warm - cast.warm, tint: from.tint - cast.tint, white, black, middle };
  const correction = isNear(from, to) ? undefined : tablesBetween(from, to, whiteShare);
  const left = [...leftCast, ...leftExcess, ...leftDarkness(seen, black, middle, white)];
  return {
    correction,
    left,
    isDoubtful: Math.max(Math.abs(cast.warm), Math.abs(cast.tint)) > DOUBTFUL_CAST || proofOfSkin(seen) > 0,
  };
}

/** Whether nobody tells the one from the other. */
export const isNear = (from: ToneCoordinates, to: ToneCoordinates): boolean =>
  (Object.keys(to) as (keyof ToneCoordinates)[]).every((name) => Math.abs(to[name] - from[name]) < LEAST_CHANGE);

/** Returns the confidence that a picture is night or an object on white, and stays, 0..1. @param night as in `projectTone` */
export const keptConfidence = (square: ToneSquare, night: number): number => Math.max(night, onWhite(square.coded));

/** Returns the stops by which white would rise if the picture were neither night nor an object on white. */
function leftDarkness(seen: Seen, black: number, middle: number, white: number): LeftTone[] {
  if (seen.kept === 0) return [];
  return leftOver('light', white - acceptableWhite({ ...seen, kept: 0 }, black, middle), seen.keptAs);
}

/** Returns the stops that stay, if there are enough to tell. */
const leftOver = (name: 'light' | 'warmth', stops: number, because: LeftToneReason): LeftTone[] =>
  Math.abs(stops) < LEAST_LEFT ? [] : [{ [name]: toTenths(stops), because }];

/** Returns the nearest acceptable black, which is never below 0 nor above that of the picture. */
function acceptableBlack({ from, features, whiteShare, courage, kept }: Seen): number {
  const light = Math.max(kept, KEPT_MARGIN * ramp(whiteShare, MUCH_WHITE) ** 2);
  const quantiles = quantilesOf(toneRegion().black, features);
  const most = at(quantiles, 1 - Math.min(MOST_COURAGE, BLACK_COURAGE * courage)) + light;
  return Math.max(0, Math.min(from.black, Math.max(quantiles[0]! - light, most)));
}

/** Returns the smallest cast whose removal gives an acceptable white point, and what stays of one that is not meant by the scene. */
function excessCast(
  { square, found, from, whiteShare, courage, kept, keptAs, skin }: Seen,
  black: number,
): { cast: { warm: number; tint: number }; left: LeftTone[] } {
  // Haze hides the colours of a scene, so the white point is read without it.
  const clear =
    from.black - black < LEAST_CHANGE
      ? square
      : squareOf(movedPlanes(square.coded, tablesBetween(from, { ...from, black }, 0)));
  const colours: [LeftToneReason, number][] = [
    ['low-key', 1 - ramp(middleLogit(from), LOW_KEY)],
    ['sunset', sunsetConfidence(square, found)],
    ['dusk', ramp(-found.warm, DUSK)],
    ['much-white', ramp(whiteShare, MUCH_WHITE)],
  ];
  const [because, coloured] = colours.reduce((most, own) => (own[1] > most[1] ? own : most));
  const most = clear === square ? found : whitePoint(clear);
  const likelihood = shiftLikelihood(colourHistograms(clear, most), toneRegion().casts, COLOUR_BINS);
  const margin = kept + KEPT_MARGIN * coloured ** 2;
  // Shades of grey go too far, but hardly ever into the wrong direction.
  const [cast, whole] = [margin, 0].map((own) => {
    const { warm, tint } = excessiveCast(likelihood, CAST_COURAGE * courage * Math.exp(-own));
    const general = { warm: between(warm, most.warm), tint: between(tint, most.tint) };
    return skin ? castOfSkin(general, skin, most, Math.exp(-own)) : general;
  }) as [Cast, Cast];
  const left = leftOver(
    'warmth',
    (whole.warm - cast.warm) / Math.LN2,
    kept > KEPT_MARGIN * coloured ** 2 ? keptAs : because,
  );
  return { cast, left };
}

function sunsetConfidence(square: ToneSquare, { warm }: Cast): number {
  const confidence = ramp(warm, SUNSET);
  return confidence === 0 ? 0 : confidence * (1 - ramp(paleness(square), LAMP));
}

/** Returns the part of a value that lies between 0 and another one. */
const between = (value: number, most: number): number =>
  Math.min(Math.max(value, Math.min(0, most)), Math.max(0, most));

/**
 * Returns the excess of the middle as a difference of logits, as far as clipping or haze proves it, and what stays of it.
 */
function excessMiddle(seen: Seen, black: number, cast: Cast): { excess: number; left: LeftTone[] } {
  const { square, from, courage, kept, keptAs, skin } = seen;
  const histograms = brightnessHistograms(levelPlanes(square, from, cast), square);
  const likelihood = shiftLikelihood(histograms, toneRegion().middles, BRIGHTNESS_BINS);
  const raised = middleLogit({ ...from, black }) - middleLogit(from);
  const excessBeyond = (share: number): number => Math.max(0, middleExcess(likelihood, deviationsOf(share)) + raised);
  const courageous = MIDDLE_COURAGE * courage;
  const proven = MOST_EXCESS * ramp(clippedPairs(square), PROOF) + raised;
  const ofSkin = skin ? proofOfSkin(seen) * excessOfSkin(skin, from, { black, cast, courage }) : 0;
  const excess = Math.max(ofSkin, Math.min(proven, excessBeyond(courageous * Math.exp(-kept))));
  const start = { ...from, black };
  const stops =
    lightOf(withMiddleMoved(start, -excess)) -
    lightOf(withMiddleMoved(start, -Math.max(excess, excessBeyond(courageous))));
  return { excess, left: leftOver('light', stops, kept > LEAST_KEPT ? keptAs : 'unproven') };
}

/** Returns how certainly too bright skin is too much light, and no lit face in the dark. What clips around an object on white proves nothing. */
const proofOfSkin = ({ square, from, kept }: Seen): number =>
  ramp(clippedPairs(square), PROOF_OF_SKIN) * ramp(middleLogit(from), BRIGHT) * Math.exp(-kept);

/** Returns the light of the middle, stops. */
const lightOf = ({ middle }: ToneCoordinates): number => -GAMMA * Math.log2(1 + Math.exp(-middle));

/** Returns the nearest acceptable white, which is never above the brightest channel. */
function acceptableWhite({ square, from, features, courage, kept }: Seen, black: number, middle: number): number {
  const quantiles = quantilesOf(toneRegion().white, Float32Array.of(...features, middle, black));
  const [margin, part] = [WHITE_MARGIN + kept, WHITE_COURAGE * courage];
  const low = at(quantiles, part) - margin;
  const high = Math.max(low, at(quantiles, 1 - part) + margin);
  return Math.min(Math.max(from.white, Math.min(low, from.white + roomOf(square))), Math.max(0, from.white), high);
}

/** Returns three planes of coded values after a correction. */
export const movedPlanes = (planes: Float32Array, tables: ToneCorrection): Float32Array =>
  planes.map((value, i) => Math.min(1, Math.max(0, valueAt(tables[(i / PIXELS) | 0]!, value))));

/** Returns how many standard deviations above the mean a share of a normal distribution begins (Abramowitz and Stegun, 26.2.23). */
function deviationsOf(share: number): number {
  const t = Math.sqrt(-2 * Math.log(share));
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/** Returns the value at a part between quantiles. */
function at(quantiles: Float64Array, part: number): number {
  const next = PARTS.findIndex((own) => own >= part);
  if (next === 0) return quantiles[0]!;
  if (next < 0) return quantiles.at(-1)!;
  const along = (part - PARTS[next - 1]!) / (PARTS[next]! - PARTS[next - 1]!);
  return quantiles[next - 1]! + (quantiles[next]! - quantiles[next - 1]!) * along;
}

/** Returns the confidence that the picture shows an object or a page on white, 0..1. */
function onWhite(planes: Float32Array): number {
  const isWhite = (i: number): boolean => {
    const [r, g, b] = [planes[i]!, planes[PIXELS + i]!, planes[2 * PIXELS + i]!];
    const least = Math.min(r, g, b);
    return least > 0.9 && Math.max(r, g, b) - least < 0.06;
  };
  return ramp(frame(isWhite, FRAME), WHITE_FRAME);
}

/** Returns the stops of light until the brightest channel clips. */
function roomOf({ light }: ToneSquare): number {
  const most = new Float32Array(PIXELS);
  for (let i = 0; i < PIXELS; i += 1) most[i] = Math.max(light[i]!, light[PIXELS + i]!, light[2 * PIXELS + i]!);
  most.sort();
  return -Math.log2(Math.max(1e-4, quantile(most, 0.99)));
}
