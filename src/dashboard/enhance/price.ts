import {
  resolveImageParameters,
  type EnhancementParameters,
  leavesImageAsItIs,
  priceOfImage,
} from '../../domain/enhancement/parameters.ts';

/** Credits that enhancing one image with these parameters costs. */
export const imagePrice = (parameters: EnhancementParameters): number =>
  priceOfImage(resolveImageParameters(parameters));

export const changesNothing = (parameters: EnhancementParameters): boolean =>
  leavesImageAsItIs(resolveImageParameters(parameters));
