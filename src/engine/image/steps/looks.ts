import type { ImageParameters } from '../../../domain/enhancement/parameters.ts';

export type Look = Exclude<ImageParameters['mode'], 'OFF' | 'DOCUMENT'>;

export interface LookSettings {
  /** Share of a colour cast to correct */
  balance: number;
  /** Maximum gain on coded values for lost exposure */
  stretchLimit: number;
  /** Share of a veil over the blacks to remove */
  blacks: number;
  /** Maximum share of the distance to the middle, in logarithms, for underexposed areas */
  localLight: number;
  /** Maximum saturation factor of a dull picture, and the saturation factor of every picture */
  dullLimit: number;
  saturation: number;
  /** Slope of a soft S-curve in the midtones, 1 for none */
  contrast: number;
}

/** NATURAL repairs with restraint, ENHANCE repairs, VIVID repairs and adds saturation and contrast to every picture. */
export const LOOKS: Record<Look, LookSettings> = {
  NATURAL: {
    balance: 0.5,
    stretchLimit: 1.3,
    blacks: 0.5,
    localLight: 0.3,
    dullLimit: 1.08,
    saturation: 1,
    contrast: 1,
  },
  ENHANCE: {
    balance: 1,
    stretchLimit: 6,
    blacks: 1,
    localLight: 0.62,
    dullLimit: 1.2,
    saturation: 1,
    contrast: 1,
  },
  VIVID: {
    balance: 1,
    stretchLimit: 1.9,
    blacks: 1,
    localLight: 0.62,
    dullLimit: 1.3,
    saturation: 1.22,
    contrast: 1.15,
  },
};
