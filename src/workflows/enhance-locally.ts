import type { EnhanceJob, EnhanceOutcome } from '../activities/provider/provider.ts';
import { enhance } from './activities.ts';

/**
 * Makes the result with the engine that is built in. May be cancelled at any await.
 * @param summary what a person sees in the Web UI
 */
export function enhanceLocally(job: EnhanceJob, summary: string): Promise<EnhanceOutcome> {
  return enhance.executeWithOptions({ summary }, [job]);
}
