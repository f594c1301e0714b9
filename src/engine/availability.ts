import { Failure } from '../domain/failures.ts';
import type { EnhancementParameters } from '../domain/parameters.ts';

/**
 * Refuses what the contract names and this engine does not do, so that a caller hears it before anything is accepted.
 * @throws Failure BAD_USER_INPUT
 */
export function assertAvailable({ enhanceFaceDetails }: EnhancementParameters): void {
  if (enhanceFaceDetails === 'ENHANCE') {
    throw new Failure('BAD_USER_INPUT', {
      field: 'enhanceFaceDetails',
      detail: 'Enhancing face details is not available yet; leave enhanceFaceDetails out or set it to OFF.',
    });
  }
}
