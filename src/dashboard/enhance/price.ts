import { resolveImageParameters, type EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import { priceOfImage } from '../../domain/enhancement/pricing.ts';

/** Credits that enhancing one image with these parameters costs. */
export const imagePrice = (parameters: EnhancementParameters): number =>
  priceOfImage(resolveImageParameters(parameters));

/** Whether they ask for anything at all. */
export function changesNothing(parameters: EnhancementParameters): boolean {
  const { outputFormat, sharpening, keepMetadata, outputQuality } = resolveImageParameters(parameters);
  const sameFile = outputFormat === 'AUTO' && outputQuality === undefined && keepMetadata;
  return imagePrice(parameters) === 0 && sharpening === 0 && sameFile;
}
