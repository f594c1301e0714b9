import type { DenoiseLevel } from '../../neural/waifu2x-models.ts';
import { isDrawing } from '../codecs/drawing.ts';
import { estimateNoise } from './noise-estimate.ts';
import type { Picture } from '../picture.ts';

/** Noise in levels of 255 from which on enlarging removes it. The estimate of dense texture reaches 3.7. */
const NOISY = 4;
/** Quality of a JPEG below which its blocks are taken out, below which firmly where repair was asked for, and below which always so. */
export const BLOCKY = 86;
export const VERY_BLOCKY = 80;
const BROKEN = 60;

/**
 * What a picture shows of how it was made.
 * @param quality of the JPEG that it was, if it was one
 * @param repair whether repair was asked for
 */
export function damageOf(picture: Picture, quality: number | undefined, repair: boolean): Damage {
  return { quality, noise: noiseOf(picture), drawing: isDrawing(picture), repair };
}

const noiseOf = (picture: Picture): number => (picture.space === 'cmyk' ? 0 : Math.max(...estimateNoise(picture)));

export interface Damage {
  /** Of the JPEG that the picture was, 1 to 100 */
  quality: number | undefined;
  /** Standard deviation, levels of 255 */
  noise: number;
  /** A page or a drawing, whose fine lines look like noise */
  drawing: boolean;
  /** Repair was asked for */
  repair: boolean;
}

/**
 * What a network takes out of a picture while it enlarges: the level that gives the best PSNR on photographs of such noise and such a
 * JPEG (docs/engine.md). One that was asked to be repaired gets the firmer of two that are near.
 */
export function levelFor({ quality = 100, noise, drawing, repair }: Damage): DenoiseLevel {
  if (noise >= NOISY && !drawing) return 3;
  if (quality < BROKEN || (quality < VERY_BLOCKY && repair)) return 3;
  return quality < BLOCKY ? 1 : 0;
}
