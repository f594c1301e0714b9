import { mediaKind, type EnhancementParameters, type MediaType, type PlanTerms } from '@burnish/contract';
import { isLargeWork } from '../../domain/enhancement/large-work.ts';
import type { EnhancementRequest } from '../../domain/enhancement/new-enhancement.ts';
import { resultKey } from '../../domain/files/object-keys.ts';
import { ENGINE_TASK_QUEUE, LARGE_ENGINE_TASK_QUEUE } from '../../domain/temporal/workflow-interface.ts';
import { toSourceFile } from '../upload/upload-state.ts';
import type { EnhancementContext, EnhancementRun, EnhancementWork } from './enhancement-run.ts';
import { withPriority, type WorkOptions } from './make-result.ts';

/** The work of an order, now that its upload has a file. @param plan the account's plan at the time of the request */
export function prepareWork(open: EnhancementRun, context: EnhancementContext, plan: PlanTerms): EnhancementWork {
  const { state } = open.tracker;
  const source = toSourceFile(context.upload.state);
  const key = resultKey(state.accountId, state.uploadId, state.id);
  const parameters = withAutoTier(state.parameters, open.request.autoTier, source.mimetype);
  return { ...context, open, job: { enhancementId: state.id, source, parameters, plan, resultKey: key } };
}

/** Resolves the tier `AUTO` for the account. A PDF has no tier. */
function withAutoTier(
  given: EnhancementParameters,
  autoTier: EnhancementRequest['autoTier'],
  mimetype: MediaType,
): EnhancementParameters {
  const isAuto = given.engineTier === undefined || given.engineTier === 'AUTO';
  return autoTier !== undefined && isAuto && mediaKind(mimetype) === 'image'
    ? { ...given, engineTier: autoTier }
    : given;
}

/** The options of the engine's activities: their text, their queue and their priority. */
export const toWorkOptions = ({ open, upload, job }: EnhancementWork): WorkOptions => ({
  summary: `${upload.state.originalFilename} (${job.enhancementId})`,
  taskQueue: isLargeWork({ ...upload.state, ...job.source }, job.parameters)
    ? LARGE_ENGINE_TASK_QUEUE
    : ENGINE_TASK_QUEUE,
  ...withPriority(open.request.urgency),
});
