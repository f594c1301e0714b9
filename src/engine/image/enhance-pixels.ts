import type { ImageParameters } from '../../domain/parameters.ts';
import { adjustColour } from './color-adjust.ts';
import type { ManualColour } from './color-adjust.ts';
import type { Picture } from './picture.ts';
import { resample } from './resample.ts';
import { improveTone } from './tone.ts';

export interface EnhancePixelsOptions {
  /** Size of the result, pixels */
  width: number;
  height: number;
  /** Automatic tone and colour; OFF changes neither */
  mode: ImageParameters['mode'];
  /** Manual adjustments, after the automatic ones */
  colour?: ManualColour;
  /** Tells how much is done, 0 to 1 */
  onPart?: (part: number) => void;
}

/**
 * The pipeline for a picture that is decoded already, such as an image object of a PDF: tone, manual colour, and a
 * resize to exact pixels. No metadata, no encoding. The given picture is changed in place and must not be used again.
 * @returns the picture and the names of the steps that changed it: `tone`, `color-adjust`, `upscale`
 */
export function enhancePixels(given: Picture, options: EnhancePixelsOptions): { picture: Picture; steps: string[] } {
  const { width, height, mode, colour, onPart } = options;
  const steps: string[] = [];
  if (mode !== 'OFF' && improveTone(given, mode).length > 0) steps.push('tone');
  if (colour && adjustColour(given, colour)) steps.push('color-adjust');
  if (width === given.width && height === given.height) return { picture: given, steps };
  return { picture: resample(given, width, height, onPart), steps: [...steps, 'upscale'] };
}
