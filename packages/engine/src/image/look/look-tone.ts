import type { LookQuantity } from '@burnish/contract/engine';
import { ramp } from '../ramps.ts';
import {
  canonicalPlanes,
  levelPlanes,
  measureCoordinates,
  middleLogit,
  whitePoint,
  type ToneCoordinates,
} from '../steps/tone-coordinates.ts';
import { toneFeatures } from '../steps/tone-features.ts';
import { shiftLikelihood } from '../steps/tone-likelihood.ts';
import { BINS as BRIGHTNESS_BINS, brightnessHistograms, middleExcess } from '../steps/tone-middle.ts';
import { PARTS, quantilesOf, toneRegion } from '../steps/tone-region.ts';
import { PIXELS, type ToneSquare } from '../steps/tone-square.ts';
import { BINS as COLOUR_BINS, colourHistograms, meanCast } from '../steps/tone-white-point.ts';

/** Keeps the logarithm of the colour of a grey picture finite. */
const LEAST_COLOUR = 0.01;
const MEDIAN = PARTS.length >> 1;

/** Quantities of a picture, as `LOOK_QUANTITIES` defines them. */
export type LookTone = Record<LookQuantity, number>;

/** A picture that a look may move. */
export interface LookScene {
  square: ToneSquare;
  coordinates: ToneCoordinates;
  /** Black that the models expect */
  expectedBlack: number;
  tone: LookTone;
}

/** Measures where a picture lies, relative to what the models expect of good photographs with its content. */
export function lookScene(square: ToneSquare): LookScene {
  const found = whitePoint(square);
  const coordinates = measureCoordinates(square, found);
  const features = toneFeatures(canonicalPlanes(square, coordinates), square.coded);
  const expectedBlack = quantilesOf(toneRegion().black, features)[MEDIAN]!;
  const cast = meanCast(shiftLikelihood(colourHistograms(square, found), toneRegion().casts, COLOUR_BINS));
  const levels = levelPlanes(square, coordinates, { warm: 0, tint: 0 });
  const brightness = shiftLikelihood(brightnessHistograms(levels, square), toneRegion().middles, BRIGHTNESS_BINS);
  const tone = {
    ...cast,
    black: coordinates.black - expectedBlack,
    white: coordinates.white,
    middle: middleExcess(brightness, 0),
    colour: colourOf(square.coded),
  };
  return { square, coordinates, expectedBlack, tone };
}

/** Returns by how much another black raises the middle, as a difference of logits. */
export const riseByBlack = (coordinates: ToneCoordinates, black: number): number =>
  middleLogit({ ...coordinates, black }) - middleLogit(coordinates);

/** Returns the logarithm of the mean difference between the channels. @param planes three planes of coded values, 0..1 */
export function colourOf(planes: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < PIXELS; i += 1) {
    const [r, g, b] = [planes[i]!, planes[PIXELS + i]!, planes[2 * PIXELS + i]!];
    sum += Math.max(r, g, b) - Math.min(r, g, b);
  }
  return Math.log(sum / PIXELS + LEAST_COLOUR);
}

/** Returns the share of pixels that are white in all channels. */
export function whiteShare({ coded }: ToneSquare): number {
  let sum = 0;
  for (let i = 0; i < PIXELS; i += 1)
    sum += ramp(Math.min(coded[i]!, coded[PIXELS + i]!, coded[2 * PIXELS + i]!), [0.965, 0.975]);
  return sum / PIXELS;
}
