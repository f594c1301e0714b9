import type { ImageParameters } from '@burnish/contract/engine';

export type Look = Exclude<ImageParameters['mode'], 'OFF' | 'DOCUMENT'>;

export interface LookSettings {
  /** Share of good photographs of such content whose tone is not accepted, at each end: the most careful look accepts most, 0..0.5 */
  courage: number;
  /** Maximum share of the distance to the middle, in logarithms, for underexposed areas */
  localLight: number;
  /** Saturation factor of every picture, 1 for none */
  saturation: number;
  /** Slope of a soft S-curve in the midtones of every picture, 1 for none */
  contrast: number;
}

/** NATURAL repairs with restraint, ENHANCE repairs, VIVID repairs and adds saturation and contrast to every picture. */
export const LOOKS: Record<Look, LookSettings> = {
  NATURAL: { courage: 0.05, localLight: 0.3, saturation: 1, contrast: 1 },
  ENHANCE: { courage: 0.25, localLight: 0.62, saturation: 1, contrast: 1 },
  VIVID: { courage: 0.4, localLight: 0.62, saturation: 1.22, contrast: 1.15 },
};
