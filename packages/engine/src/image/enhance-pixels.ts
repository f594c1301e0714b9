import { doublingsFor } from '@burnish/contract/engine';
import { adjustColour, type ManualColour } from './steps/color-adjust.ts';
import { isLight, type Picture } from './picture.ts';
import { resample } from './filters/resample.ts';
import { NO_MODELS, type ModelSet } from '../neural/model-set.ts';
import { NO_DAMAGE } from './steps/damage.ts';
import { doublingNetwork } from '../neural/networks.ts';
import { enlarge } from './steps/enlarge.ts';
import type { Look } from './steps/looks.ts';
import { showsNetwork } from './steps/network-gain.ts';
import { improveTone } from './steps/tone.ts';

export interface EnhancePixelsOptions {
  /** Size of the result, pixels */
  width: number;
  height: number;
  mode: Look | 'OFF';
  /** Manual adjustments, after the automatic ones */
  colour?: ManualColour;
  /** Networks available for enlarging; the fast one is used where it shows, since a PDF may have thousands of images */
  models?: ModelSet;
  /** Reports the progress, 0 to 1 */
  onPart?: (part: number) => void;
}

/**
 * Runs the pipeline on a decoded picture, such as an image object of a PDF: tone, manual colour, and a resize to exact
 * pixels. It neither reads metadata nor encodes. It may change the given picture in place, which must not be used
 * again.
 * @returns the picture and the names of the steps that changed it: `tone`, `color-adjust`, `upscale`
 */
export async function enhancePixels(
  given: Picture,
  options: EnhancePixelsOptions,
): Promise<{ picture: Picture; steps: string[] }> {
  const { width, height, mode, colour, models = NO_MODELS, onPart } = options;
  const steps: string[] = [];
  if (mode !== 'OFF' && (await improveTone(given, mode)).change) steps.push('tone');
  if (colour && adjustColour(given, colour)) steps.push('color-adjust');
  if (width === given.width && height === given.height) return { picture: given, steps };
  const picture = await enlargeTo(given, width, height, models, onPart);
  return { picture, steps: [...steps, 'upscale'] };
}

/**
 * A larger result is interpolated: at 300 DPI it is larger than an A3 page with its bleed, and is seen from further away. The
 * network would take 0.4 s of CPU time for each megapixel.
 */
export const MAX_NETWORK_PIXELS = 24_000_000;

/** Enlarges to exact pixels: networks double the picture to a nearby power of two, and interpolation does the rest. */
async function enlargeTo(
  picture: Picture,
  width: number,
  height: number,
  models: ModelSet,
  onPart?: (part: number) => void,
): Promise<Picture> {
  const factor = Math.max(width / picture.width, height / picture.height);
  if (factor <= 1 || models.fast === null || width * height > MAX_NETWORK_PIXELS)
    return resample(picture, width, height, onPart);
  const network = await doublingNetwork(models, 'fast', 'none').catch(() => undefined);
  if (network !== undefined && isLight(picture) && !(await showsNetwork(picture, network)))
    return resample(picture, width, height, onPart);
  const scale = doublingsFor(factor);
  const options = { scale, asked: 'FAST', models, damage: NO_DAMAGE } as const;
  const { picture: larger } = await enlarge(picture, { ...options, ...(onPart && { onPart }) });
  if (larger.width === width && larger.height === height) return larger;
  return resample(larger, width, height);
}
