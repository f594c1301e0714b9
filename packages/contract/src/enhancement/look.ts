import type { LookProof, LookRefusal, LookValues } from '../engine/look.ts';
import type { SavedLimits } from './saved-name.ts';

/** A look that has proved itself. A build with another outcome makes a new version; a version never changes. */
export interface Look {
  name: string;
  /** From 1 */
  version: number;
  values: LookValues;
  proof: LookProof;
  /** ISO 8601, of this version */
  createdAt: string;
}

/** A picture that an account calls finished, by ids. */
export interface FinishedPicture {
  /** Upload, or enhancement for its result */
  finished: string;
  /** Upload of the picture before somebody finished it */
  original?: string | undefined;
}

export const SAVED_LOOK_LIMITS = { live: 20, versions: 100, names: 200 } as const satisfies SavedLimits;

/** Why a look is refused, in a sentence with what to do. */
export const LOOK_REFUSAL_WORDS: Readonly<Record<LookRefusal, string>> = {
  NO_GAIN: 'It is hardly nearer to the finished pictures than ENHANCE is.',
  UNCERTAIN: 'Its gain differs too much from picture to picture.',
  WORST_CASE: 'It spoils a picture.',
  WORSE_THAN_NOTHING: 'The pictures are nearer to their finish without any correction.',
};
export const LOOK_REMEDY = 'Choose pictures with one taste, or add their originals.';

const figure = (value: number): string => value.toFixed(1);

/** The figures of a proof in a sentence. */
export const describeProof = ({ pictures, untouched, enhance, look, gain, worst }: LookProof): string =>
  `Of ${pictures} pictures, the mean difference is ${figure(look)} with the look, ${figure(enhance)} with ENHANCE and ${figure(untouched)} without a correction. The gain over ENHANCE is ${figure(gain)}, and ${figure(worst)} for the worst picture.`;
