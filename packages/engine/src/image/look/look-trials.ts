import { codedLight, LUMA } from '../steps/curves.ts';
import { LOOKS } from '../steps/looks.ts';
import { gainsOf } from '../steps/tone-coordinates.ts';
import { keptConfidence, movedPlanes, projectTone } from '../steps/tone-projection.ts';
import { PIXELS, squareOf, type ToneSquare } from '../steps/tone-square.ts';
import { differenceOf, labOf } from './lab.ts';
import { lookScene, whiteShare, type LookScene, type LookTone } from './look-tone.ts';

/** A finished picture, as far as its tone goes. */
export interface FinishedPicture {
  square: ToneSquare;
  /** Confidence that it is a night scene, 0..1 */
  night: number;
  /** The picture before somebody finished it; absent where nobody knows it */
  original?: { square: ToneSquare; night: number };
}

/** A picture that a look should bring near to a finished one, after ENHANCE. */
export interface Trial {
  scene: LookScene;
  kept: number;
  white: number;
  /** ΔE to the finished picture without a correction, and with ENHANCE */
  untouched: number;
  enhance: number;
}

/** A finished picture with its trials. */
export interface Tried {
  tone: LookTone;
  /** CIE L*a*b* of the finished picture */
  lab: Float32Array;
  trials: Trial[];
}

/** A fault of a picture. */
interface Fault {
  /** Stops of light */
  stops: number;
  /** Cast, as logarithm of red over blue */
  warm: number;
  /** Haze, as a share of white */
  haze: number;
  /** Share of the saturation that is left */
  colour: number;
}

/** Faults of pictures before somebody finishes them, and none. */
const FAULTS: readonly Fault[] = [
  { stops: -0.6, warm: 0, haze: 0.02, colour: 0.7 },
  { stops: 0, warm: 0.3, haze: 0.01, colour: 0.75 },
  { stops: 0.5, warm: 0, haze: 0, colour: 0.75 },
  { stops: 0, warm: 0, haze: 0, colour: 1 },
  { stops: -1.2, warm: 0, haze: 0, colour: 0.7 },
  { stops: 0, warm: -0.3, haze: 0.02, colour: 0.75 },
];
/** Trials of all pictures together, so that more pictures take no more time. */
const TRIALS = 64;

/** Prepares the trials of finished pictures: from the original where it is known, otherwise from known faults. */
export function prepareTrials(pictures: readonly FinishedPicture[]): Tried[] {
  const each = Math.max(2, Math.min(FAULTS.length, Math.floor(TRIALS / pictures.length)));
  return pictures.map(({ square, night, original }, index) => {
    const lab = labOf(square.coded);
    const faults = Array.from({ length: each }, (_, n) => FAULTS[(index + n) % FAULTS.length]!);
    const given = original ? [original] : faults.map((fault) => ({ square: spoiled(square, fault), night }));
    return { tone: lookScene(square).tone, lab, trials: given.map((own) => tried(own, lab)) };
  });
}

function tried({ square, night }: { square: ToneSquare; night: number }, lab: Float32Array): Trial {
  const white = whiteShare(square);
  const { correction } = projectTone(square, LOOKS.ENHANCE.courage, { night, white });
  const enhanced = correction ? squareOf(movedPlanes(square.coded, correction)) : square;
  return {
    scene: lookScene(enhanced),
    kept: keptConfidence(square, night),
    white: whiteShare(enhanced),
    untouched: differenceOf(labOf(square.coded), lab),
    enhance: differenceOf(labOf(enhanced.coded), lab),
  };
}

/** Returns a finished picture with a fault. */
function spoiled({ light }: ToneSquare, { stops, warm, haze, colour }: Fault): ToneSquare {
  const factors = gainsOf(warm, 0).map((gain) => gain * 2 ** stops);
  const coded = light.map((value, i) => {
    const pixel = i % PIXELS;
    const grey = LUMA[0] * light[pixel]! + LUMA[1] * light[PIXELS + pixel]! + LUMA[2] * light[2 * PIXELS + pixel]!;
    const dull = (grey + (value - grey) * colour) * factors[(i / PIXELS) | 0]!;
    return codedLight(Math.min(1, haze + (1 - haze) * Math.max(0, dull)));
  });
  return squareOf(coded);
}
