import type { EnhanceOutcome } from '../../activities/provider/local-context.ts';
import type { EnhancementWork } from './enhancement-run.ts';
import { makeResult } from './make-result.ts';
import { toWorkOptions } from './prepare-work.ts';
import { enhanceWithInspection, inspectsToo } from './with-inspection.ts';

/**
 * The step that makes the result: by the engine, for quick work together with the inspection, or by the hosted service. Every
 * await may be cancelled.
 */
export function enhance(work: EnhancementWork): Promise<EnhanceOutcome> {
  return inspectsToo(work) ? enhanceWithInspection(work) : makeResult(work, toWorkOptions(work));
}
