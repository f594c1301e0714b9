import { ramp } from '../ramps.ts';
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
import { shiftLikelihood } from './tone-likelihood.ts';
import { BINS as BRIGHTNESS_BINS, brightnessHistograms, middleExcess } from './tone-middle.ts';
import { PARTS, quantilesOf, toneRegion } from './tone-region.ts';
import { clippedPairs, PIXELS, squareOf, type ToneSquare } from './tone-square.ts';
import { BINS as COLOUR_BINS, colourHistograms, leastCast } from './tone-white-point.ts';

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
  [1.1, 1.2],
] as const;
/** Share of pixels in which two channels clip: no sign of too much light, and a certain one. */
const PROOF = [0.005, 0.2] as const;
/** Excess of the middle that is removed at most, as a difference of logits. */
const MOST_EXCESS = 2;
/** Stops of white and share of black by which the range widens for a picture that is kept. */
const KEPT_MARGIN = 8;
/** Share of neutral white, as in a chart, beside which everything may be light, and which proves the white point: none, and certainly. */
const MUCH_WHITE = [0.1, 0.25] as const;
/** Difference of a coordinate below which nothing changes. */
const LEAST_CHANGE = 0.02;
/** Width in pixels of the frame of an object on white, and its share that is white: none, and certainly. */
const [FRAME, WHITE_FRAME] = [5, [0.4, 0.65]] as const;

/**
 * Clamps white point, levels and middle of a picture to those that good photographs of such content have. More light in is never less
 * out, a second pass changes nothing, and an acceptable picture stays as it is.
 * @param courage share of good photographs beyond the range at each end, 0..0.5
 * @param night confidence that the picture is a night scene, 0..1: the range widens, and nothing fades
 * @returns what moves the picture; undefined where it is acceptable as it is
 */
export function projectTone(square: ToneSquare, courage: number, night: number): ToneCorrection | undefined {
  const found = whitePoint(square);
  const from = measureCoordinates(square, found);
  const features = toneFeatures(canonicalPlanes(square, from), square.coded);
  const region = toneRegion();
  const still = Math.max(night, onWhite(square.coded)) ** 2;
  const kept = KEPT_MARGIN * still;
  const share = courage * Math.exp(-kept);

  const whiteShare = clippedShare(square.coded);
  const light = KEPT_MARGIN * Math.max(still, ramp(whiteShare, MUCH_WHITE)) ** 2;
  const blacks = quantilesOf(region.black, features);
  const mostBlack = at(blacks, 1 - Math.min(MOST_COURAGE, BLACK_COURAGE * courage)) + light;
  const black = Math.max(0, Math.min(from.black, Math.max(blacks[0]! - light, mostBlack)));

  // Haze hides the colours of a scene, so the white point is read without it.
  const clear =
    from.black - black < LEAST_CHANGE
      ? square
      : squareOf(moved(square.coded, tablesBetween(from, { ...from, black }, 0)));
  const coloured = Math.max(
    1 - ramp(middleLogit(from), LOW_KEY),
    ramp(found.warm, SUNSET),
    ramp(-found.warm, DUSK),
    ramp(whiteShare, MUCH_WHITE),
  );
  const likelyCasts = shiftLikelihood(colourHistograms(clear), region.casts, COLOUR_BINS);
  const cast = leastCast(likelyCasts, CAST_COURAGE * share * Math.exp(-KEPT_MARGIN * coloured ** 2));
  const [warm, tint] = [cast.red - cast.blue, -(cast.red + cast.blue) / 2];

  const histograms = brightnessHistograms(levelPlanes(square, from, { warm, tint }), square);
  const likelihood = shiftLikelihood(histograms, region.middles, BRIGHTNESS_BINS);
  const blacker = { ...from, black };
  const raised = middleLogit(blacker) - middleLogit(from);
  const excess = middleExcess(likelihood, deviationsOf(MIDDLE_COURAGE * share)) + raised;
  // Only clipping and haze prove that there is too much light.
  const proven = MOST_EXCESS * ramp(clippedPairs(square), PROOF) + raised;
  const { middle } = withMiddleMoved(blacker, -Math.min(proven, Math.max(0, excess)));

  const whites = quantilesOf(region.white, Float32Array.of(...features, middle, black));
  const [margin, part] = [WHITE_MARGIN + kept, WHITE_COURAGE * courage];
  const low = at(whites, part) - margin;
  const high = Math.max(low, at(whites, 1 - part) + margin);
  const white = Math.min(
    Math.max(from.white, Math.min(low, from.white + roomOf(square))),
    Math.max(0, from.white),
    high,
  );

  const to = { warm: from.warm - warm, tint: from.tint - tint, white, black, middle };
  const isAcceptable = (Object.keys(to) as (keyof ToneCoordinates)[]).every(
    (name) => Math.abs(to[name] - from[name]) < LEAST_CHANGE,
  );
  return isAcceptable ? undefined : tablesBetween(from, to, whiteShare);
}

const moved = (planes: Float32Array, tables: ToneCorrection): Float32Array =>
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

function clippedShare(planes: Float32Array): number {
  let clipped = 0;
  for (let i = 0; i < PIXELS; i += 1)
    if (Math.min(planes[i]!, planes[PIXELS + i]!, planes[2 * PIXELS + i]!) > 0.97) clipped += 1;
  return clipped / PIXELS;
}
