import type { NetworkTier } from '../../neural/plan-doublings.ts';
import type { DenoiseLevel } from '../../neural/waifu2x-models.ts';
import { isDrawing } from './drawing.ts';
import { estimateNoise, estimateWhiteNoise } from './noise-estimate.ts';
import type { Picture } from '../picture.ts';

/** Noise, in levels of 255, from which the enlarging network also denoises. */
const NOISY = 4;
/**
 * JPEG quality below which artefacts are removed. Below the second value the removal is strong on a request for repair,
 * below the third it is always strong.
 */
export const BLOCKY = 86;
const VERY_BLOCKY = 80;
const BROKEN = 60;

interface DamageSource {
  /** JPEG quality of the source, if it was a JPEG */
  quality: number | undefined;
  /** Whether the file has a lossy coding */
  coded: boolean;
  /** Whether the request includes repair */
  repair: boolean;
}

export function measureDamage(picture: Picture, { quality, coded, repair }: DamageSource): Damage {
  return { quality, noise: whiteNoise(picture, coded), drawing: isDrawing(picture), repair };
}

/** The networks with noise reduction remove white noise. The noise of colours bounds it, since texture is no noise. */
function whiteNoise(picture: Picture, coded: boolean): number {
  if (picture.space === 'cmyk') return 0;
  const [white, most] = [estimateWhiteNoise(picture), estimateNoise(picture, coded)];
  return Math.max(...white.map((own, channel) => Math.min(own, most[channel]!)));
}

export interface Damage {
  /** JPEG quality of the source, 1 to 100 */
  quality: number | undefined;
  /** Standard deviation, levels of 255 */
  noise: number;
  drawing: boolean;
  repair: boolean;
}

export const NO_DAMAGE: Damage = { quality: undefined, noise: 0, drawing: false, repair: false };

/**
 * Returns the denoise level of the network that enlarges. It gives the best PSNR on photographs of such noise and JPEG
 * quality (docs/images.md). With a request for repair, the stronger of two close levels applies.
 */
export function levelFor({ quality = 100, noise, drawing, repair }: Damage): DenoiseLevel {
  if (noise >= NOISY && !drawing) return 3;
  if (quality < BROKEN || (quality < VERY_BLOCKY && repair)) return 3;
  return quality < BLOCKY ? 1 : 0;
}

/** Returns whether the sharp edges of drawings, or the removal of noise, need the networks of the tier `fine` alone. */
export const needsFineAlone = ({ noise, drawing }: Damage): boolean => drawing || noise >= NOISY;

/** JPEG quality below which the network of the tier `fast` gives photographs a better result than those of `fine`. */
const CLEAN_FOR_FINE = 93;

/**
 * Returns the tier that gives the better picture, whatever it costs (docs/images.md). The fast network keeps more of a
 * photograph from a JPEG. Those of `fine` keep more of clean pictures and pages, and remove more noise.
 */
export function suitedTier(damage: Damage): NetworkTier {
  return (damage.quality ?? 100) < CLEAN_FOR_FINE && !needsFineAlone(damage) ? 'fast' : 'fine';
}
