import {
  resolveImageParameters,
  type EnhancementParameters,
  leavesImageAsItIs,
  lowestPriceOfImage,
  priceOfImage,
} from '../../domain/enhancement/parameters.ts';

/** The lowest and the highest price of enhancing one image with these parameters, in credits. */
export function imagePrice(parameters: EnhancementParameters): { min: number; max: number } {
  const resolved = resolveImageParameters(parameters);
  return { min: lowestPriceOfImage(resolved), max: priceOfImage(resolved) };
}

export const changesNothing = (parameters: EnhancementParameters): boolean =>
  leavesImageAsItIs(resolveImageParameters(parameters));
