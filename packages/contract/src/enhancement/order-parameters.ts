import type { MediaKind } from '../engine/media.ts';
import { assertImageParametersAgree, assertParametersAgree, assertParametersFit } from '../engine/parameter-rules.ts';
import type { EnhancementParameters } from '../engine/parameters.ts';
import { orderName } from '../engine/pdf-options.ts';
import { withFailures } from '../engine-failure.ts';
import type { ProviderName } from '../upload/upload.ts';
import { assertHosted } from './hosted-parameters.ts';

/**
 * Rejects contradictions between parameters of an image, and parameters that its provider lacks.
 * @throws Failure BAD_USER_INPUT
 */
export function assertImageOrderAgrees(given: EnhancementParameters, provider: ProviderName): void {
  if (provider === 'hosted') assertHosted(given);
  withFailures(() => assertImageParametersAgree(given));
}

/**
 * Rejects parameters of the other kind of file (docs/contract.md: an error that names the field).
 * @throws Failure BAD_USER_INPUT
 */
export const assertOrderFits = (kind: MediaKind, given: EnhancementParameters): void =>
  withFailures(() => assertParametersFit(kind, given, orderName));

/**
 * Rejects parameters that no kind of file allows together, for a file whose kind is still unknown.
 * @throws Failure BAD_USER_INPUT
 */
export const assertOrderAgrees = (given: EnhancementParameters): void =>
  withFailures(() => assertParametersAgree(given, orderName));
