import {
  LOOK_QUANTITY_NAMES,
  type BuiltLook,
  type LookProof,
  type LookQuantity,
  type LookRefusal,
  type LookValues,
} from '@burnish/contract/engine';
import { LUMA } from '../steps/curves.ts';
import { PIXELS } from '../steps/tone-square.ts';
import { differenceOf, labOf } from './lab.ts';
import { correctToLook } from './look-correction.ts';
import { prepareTrials, type FinishedPicture, type Trial, type Tried } from './look-trials.ts';

/** Widths on each side of the mean, as standard deviations of the finished pictures: of colour and middle, which vary with each scene. */
const USUAL_WIDTH = 0.5;
/** Widths of cast and levels. The error chooses one: a strong taste shows in all pictures. */
const WIDTHS = [1.5, 1, 0.5] as const;
/** Share of the ΔE of a wider range that a narrower one has at most. */
const NEARER = 0.95;
const USUAL: readonly LookQuantity[] = ['colour', 'middle'];

/** ΔE that a look gains over ENHANCE at least, and that its worst picture may lose beyond the gain. */
const [GAIN, WORST] = [0.3, 1.5];
/** Standard errors by which the gain lies above nothing. */
const CERTAIN = 1.65;

/**
 * Solves the look of finished pictures, and proves it: each picture is left out in turn, and the look of the others corrects it.
 * @param pictures at least two
 */
export function fitLook(pictures: readonly FinishedPicture[], localLight: number): BuiltLook {
  const tried = prepareTrials(pictures);
  const losses = WIDTHS.map((width) => ({ width, ofPictures: lossesOf(tried, width) }));
  const nearest = (out?: number): (typeof losses)[number] =>
    losses.reduce((best, each) => (sumBut(each.ofPictures, out) < NEARER * sumBut(best.ofPictures, out) ? each : best));
  const ranges = rangesOf(tried, nearest().width);
  // A picture that is left out decides neither the ranges nor their widths.
  const look = tried.map((_, out) => nearest(out).ofPictures[out]!);
  const proof = proofOf(pictures, tried, look);
  return { values: { ranges, localLight }, proof, refused: refusalOf(proof) };
}

/** Returns the mean ΔE of each picture's trials by the look of the others. */
const lossesOf = (tried: readonly Tried[], width: number): number[] =>
  tried.map(({ lab, trials }, out) => {
    const ranges = rangesOf(tried.toSpliced(out, 1), width);
    return meanOf(trials.map((trial) => differenceOf(labAfter(trial, ranges), lab)));
  });

const sumBut = (values: readonly number[], out?: number): number =>
  values.reduce((sum, value, index) => (index === out ? sum : sum + value), 0);

function rangesOf(tried: readonly Tried[], width: number): LookValues['ranges'] {
  const ranges = LOOK_QUANTITY_NAMES.map((quantity) => {
    const values = tried.map(({ tone }) => tone[quantity]);
    const [mean, half] = [meanOf(values), (USUAL.includes(quantity) ? USUAL_WIDTH : width) * deviationOf(values)];
    return [quantity, [mean - half, mean + half]];
  });
  return Object.fromEntries(ranges) as LookValues['ranges'];
}

/** Returns the CIE L*a*b* of a trial with a look. */
function labAfter({ scene, kept, white }: Trial, ranges: LookValues['ranges']): Float32Array {
  const { planes, saturation } = correctToLook(scene, ranges, { kept, white });
  if (saturation === 1) return labOf(planes);
  const saturated = planes.slice();
  for (let i = 0; i < PIXELS; i += 1) {
    const [r, g, b] = [planes[i]!, planes[PIXELS + i]!, planes[2 * PIXELS + i]!];
    const grey = LUMA[0] * r + LUMA[1] * g + LUMA[2] * b;
    [r, g, b].forEach((value, c) => {
      saturated[c * PIXELS + i] = Math.min(1, Math.max(0, grey + (value - grey) * saturation));
    });
  }
  return labOf(saturated);
}

function proofOf(pictures: readonly FinishedPicture[], tried: readonly Tried[], look: readonly number[]): LookProof {
  const of = (name: 'untouched' | 'enhance'): number[] =>
    tried.map(({ trials }) => meanOf(trials.map((trial) => trial[name])));
  const enhance = of('enhance');
  const gains = enhance.map((own, index) => own - look[index]!);
  return {
    pictures: pictures.length,
    pairs: pictures.filter(({ original }) => original !== undefined).length,
    untouched: meanOf(of('untouched')),
    enhance: meanOf(enhance),
    look: meanOf(look),
    gain: meanOf(gains),
    error: deviationOf(gains) / Math.sqrt(gains.length),
    worst: Math.min(...gains),
  };
}

/** Returns why a look has not proved itself. */
function refusalOf({ untouched, look, gain, error, worst }: LookProof): LookRefusal | null {
  if (gain < GAIN) return 'NO_GAIN';
  if (gain < CERTAIN * error) return 'UNCERTAIN';
  if (worst < -WORST - gain) return 'WORST_CASE';
  return look >= untouched ? 'WORSE_THAN_NOTHING' : null;
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1));
}
