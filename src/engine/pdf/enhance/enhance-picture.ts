import type { ColorConfig } from '../../../domain/enhancement/parameters.ts';
import { enhancePixels, type EnhancePixelsOptions } from '../../image/enhance-pixels.ts';
import { NO_MODELS, type ModelSet } from '../../neural/model-set.ts';
import type { Picture } from '../../image/picture.ts';
import type { ImageWork } from '../analyze/work.ts';

/**
 * The enhancement of decoded samples: the image engine's own pipeline, so that an image in a PDF gets what it would get alone.
 * @returns the result and the steps that changed it; none when the image needs nothing
 */
export function enhancePicture(
  picture: Picture,
  { width, height, color }: ImageWork,
  config: ColorConfig,
  models: ModelSet = NO_MODELS,
): Promise<{ picture: Picture; steps: string[] }> {
  const options: EnhancePixelsOptions = { width, height, models, mode: color && config.auto ? 'ENHANCE' : 'OFF' };
  if (color) options.colour = config;
  return enhancePixels(picture, options);
}
