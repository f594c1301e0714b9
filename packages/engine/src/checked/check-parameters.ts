import { z } from 'zod';
import {
  assertImageParametersAgree,
  EngineError,
  assertParametersFit,
  resolveImageParameters,
  resolvePdfParameters,
  type EnhancementParameters,
  type ImageParameters,
  type PdfParameters,
} from '@burnish/contract/engine';
import { enhancementParametersSchema } from '@burnish/contract/schemas';
import { checkInput } from './check-input.ts';

/** An object whose fields `checkImageParameters` or `checkPdfParameters` checks, so that errors name a parameter by its own name. */
export const anyParameters = z.looseObject({});

/** Checks the parameters of an image, and fills in the defaults. @throws EngineError BAD_USER_INPUT */
export function checkImageParameters(given: EnhancementParameters = {}): ImageParameters {
  checkInput(enhancementParametersSchema, given);
  assertParametersFit('image', given);
  assertImageParametersAgree(given);
  if (typeof given.mode === 'object' && given.mode.values === undefined)
    throw new EngineError('BAD_USER_INPUT', {
      field: 'mode.values',
      detail: 'The engine knows no looks by name. Give the values of the look.',
    });
  return resolveImageParameters(given);
}

/** Checks the parameters of a PDF, and fills in the defaults. @throws EngineError BAD_USER_INPUT */
export function checkPdfParameters(given: EnhancementParameters = {}): PdfParameters {
  checkInput(enhancementParametersSchema, given);
  assertParametersFit('pdf', given);
  return resolvePdfParameters(given);
}
