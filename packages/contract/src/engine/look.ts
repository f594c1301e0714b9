/** What a look decides about a picture, and the unit of each. */
export const LOOK_QUANTITIES = {
  /** Logarithm of red over blue in the light of the scene, above the expected one */
  warm: 'log',
  /** Logarithm of green over red and blue in that light, above the expected one */
  tint: 'log',
  /** Level of black as a share of white, above the expected one */
  black: 'share',
  /** Level of white, stops below full */
  white: 'stops',
  /** Logit of the brightness of the middle, above the expected one */
  middle: 'logit',
  /** Logarithm of the mean difference between the channels */
  colour: 'log',
} as const;
export type LookQuantity = keyof typeof LOOK_QUANTITIES;
export const LOOK_QUANTITY_NAMES = Object.keys(LOOK_QUANTITIES) as LookQuantity[];

/** Bounds of a value: far beyond what a photograph has. */
export const MOST_LOOK_VALUE = 20;

/** Offsets of an account's own look on the models of tone: which values a result has, relative to what the models expect. */
export interface LookValues {
  /** Least and greatest value of each quantity; absent where the pictures have no taste of their own */
  ranges: { [Quantity in LookQuantity]?: readonly [least: number, most: number] | undefined };
  /** Share of the local light of ENHANCE that dark areas get, 0..1 */
  localLight: number;
}

/** The look of an account in place of a mode. */
export interface OrderedLook {
  /** `warm` or `warm@3` in an order, `warm@3` in a record */
  look: string;
  /** Present once the look of the account has been found */
  values?: LookValues | undefined;
}

/** Why a look is refused. */
export const LOOK_REFUSALS = ['NO_GAIN', 'UNCERTAIN', 'WORST_CASE', 'WORSE_THAN_NOTHING'] as const;
export type LookRefusal = (typeof LOOK_REFUSALS)[number];

/** How near a look brings pictures to their finished ones, as mean CIE ΔE, leaving one picture out in turn. */
export interface LookProof {
  /** Finished pictures, and those of them with an original */
  pictures: number;
  pairs: number;
  /** Mean ΔE of the pictures without a correction, with ENHANCE, and with the look */
  untouched: number;
  enhance: number;
  look: number;
  /** Mean ΔE by which the look is nearer than ENHANCE, its standard error, and its value for the worst picture */
  gain: number;
  error: number;
  worst: number;
}

export interface BuiltLook {
  values: LookValues;
  proof: LookProof;
  /** Null: the look has proved itself */
  refused: LookRefusal | null;
}

export const LOOK_LIMITS = {
  /** Finished pictures of a look */
  fewest: 16,
  most: 48,
  /** Pictures that show a look before it is accepted */
  samples: 5,
} as const;
