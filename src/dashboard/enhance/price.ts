import {
  resolveImageParameters,
  type EnhancementParameters,
  leavesImageAsItIs,
  priceOfImage,
} from '../../domain/enhancement/parameters.ts';

/** Credits that enhancing one image with these parameters costs. */
export const imagePrice = (parameters: EnhancementParameters): number =>
  priceOfImage(resolveImageParameters(parameters));

/** Whether they ask for anything at all. */
export const changesNothing = (parameters: EnhancementParameters): boolean =>
  leavesImageAsItIs(resolveImageParameters(parameters));
