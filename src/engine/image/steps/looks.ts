import type { ImageParameters } from '../../../domain/enhancement/parameters.ts';

export type Look = Exclude<ImageParameters['mode'], 'OFF'>;

/** How far a look goes. */
export interface LookSettings {
  /** Part of a colour cast that is taken out */
  balance: number;
  /** The most that coded values are stretched by for want of light */
  stretchLimit: number;
  /** Part of a veil over the blacks that is taken off */
  blacks: number;
  /** Part of the way that a dark median goes towards a bearable one */
  midtones: number;
  /** Part of the way to the middle, as logarithms, that places without light are brought at most */
  localLight: number;
  /** The most that a dull picture's saturation is raised to, and what every picture's is raised by */
  dullLimit: number;
  saturation: number;
  /** Slope in the midtones of a soft S-curve, 1 for none */
  contrast: number;
}

/** NATURAL repairs with restraint, ENHANCE repairs, VIVID repairs and adds colour and contrast to any picture. */
export const LOOKS: Record<Look, LookSettings> = {
  NATURAL: {
    balance: 0.5,
    stretchLimit: 1.3,
    blacks: 0.5,
    midtones: 0.2,
    localLight: 0.3,
    dullLimit: 1.08,
    saturation: 1,
    contrast: 1,
  },
  ENHANCE: {
    balance: 0.85,
    stretchLimit: 1.8,
    blacks: 1,
    midtones: 0.4,
    localLight: 0.62,
    dullLimit: 1.2,
    saturation: 1,
    contrast: 1,
  },
  VIVID: {
    balance: 0.85,
    stretchLimit: 1.9,
    blacks: 1,
    midtones: 0.45,
    localLight: 0.62,
    dullLimit: 1.3,
    saturation: 1.22,
    contrast: 1.15,
  },
};
