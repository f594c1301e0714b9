import type { ImageParameters, OrderedLook } from '@burnish/contract/engine';

export type Look = Exclude<ImageParameters['mode'], 'OFF' | 'DOCUMENT' | OrderedLook>;

export interface LookSettings {
  /** Share of good photographs of such content whose tone is not accepted, at each end: the most careful look accepts most, 0..0.5 */
  courage: number;
  /** Accepted depth of shade: natural logarithms of coded brightness below the middle */
  shadeDepth: number;
  /** Share of the light that a dark face lacks and gets, 0..1 */
  faceLight: number;
  /** Saturation factor of every picture, 1 for none */
  saturation: number;
  /** Slope of a soft S-curve in the midtones of every picture, 1 for none */
  contrast: number;
}

/** NATURAL repairs with restraint, ENHANCE repairs, VIVID repairs and adds saturation and contrast to every picture. */
export const LOOKS: Record<Look, LookSettings> = {
  NATURAL: { courage: 0.05, shadeDepth: 2.1 * Math.LN2, faceLight: 0.3, saturation: 1, contrast: 1 },
  ENHANCE: { courage: 0.25, shadeDepth: 1.3 * Math.LN2, faceLight: 0.62, saturation: 1, contrast: 1 },
  VIVID: { courage: 0.4, shadeDepth: 1.2 * Math.LN2, faceLight: 0.62, saturation: 1.22, contrast: 1.15 },
};
