import {
  resolveImageParameters,
  type EnhancementParameters,
  leavesImageAsItIs,
  priceRangeOfImage,
} from '@burnish/contract';

/** The lowest and the highest price of enhancing one image with these parameters, in credits. */
export function imagePrice(parameters: EnhancementParameters): { min: number; max: number } {
  const { minCredits: min, credits: max } = priceRangeOfImage(resolveImageParameters(parameters), 'local');
  return { min, max };
}

export const changesNothing = (parameters: EnhancementParameters): boolean =>
  leavesImageAsItIs(resolveImageParameters(parameters));
