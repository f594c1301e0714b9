import { condition, isCancellation, patched } from '@temporalio/workflow';
import { enlarges, Failure, mediaKind, priceOfImage, resolveImageParameters, type Upload } from '@burnish/contract';
import type { EnhanceOutcome } from '../../activities/provider/local-context.ts';
import { isLikelyLargeWork } from '../../domain/enhancement/large-work.ts';
import { assertFits } from '../../domain/enhancement/order-rules.ts';
import { originalKey } from '../../domain/files/object-keys.ts';
import { engineActivityId } from '../../domain/temporal/workflow-interface.ts';
import { inspectAndEnhance } from '../activities.ts';
import type { EnhancementRun, EnhancementWork, SharedInspection } from './enhancement-run.ts';
import { atMostReserved, makeResult } from './make-result.ts';
import { toWorkOptions } from './prepare-work.ts';

/*
 * An image that comes with its only order, for quick work, is inspected by the activity that enhances it: one task and one decode.
 * Its credits are reserved before, and the upload is recorded before the result. Whatever prevents this leaves the usual
 * way: inspection, then enhancement.
 */

/** Whether an upload may be inspected with this order, its only one. */
export function mayInspectWith({ tracker: { state }, request }: EnhancementRun, upload: Upload): boolean {
  const { file, provider } = upload;
  if (provider !== 'local' || file === null || mediaKind(file.mimetype) !== 'image') return false;
  // Large work would be begun before its upload is received. The header decides.
  if (isLikelyLargeWork(file, request.parameters)) return false;
  // A workflow that a stranger started is refused by its first record, which names the file.
  if (upload.objectKey !== originalKey(upload.accountId, upload.id)) return false;
  // A revived order has been begun before. The price of a size that is to be reached depends on the image.
  if (state.revision > 0 || state.startedAt !== null || state.estimatedCredits !== null) return false;
  const parameters = resolveImageParameters(request.parameters);
  const isCertain = enlarges(parameters) !== undefined;
  const isAllowed = request.maxCredits === null || priceOfImage(parameters) <= request.maxCredits;
  return isCertain && isAllowed && patched('inspected with its order');
}

/**
 * The step that makes the result: by the engine, for quick work together with the inspection, or by the hosted service. Every
 * await may be cancelled.
 */
export function enhance(work: EnhancementWork): Promise<EnhanceOutcome> {
  return inspectsToo(work) ? enhanceWithInspection(work) : makeResult(work, toWorkOptions(work));
}

/** Whether this work is to inspect the image of its upload too. */
const inspectsToo = (work: EnhancementWork): work is InspectingWork =>
  work.shared !== undefined && !work.shared.isRecorded;

type InspectingWork = EnhancementWork & { shared: SharedInspection };

/**
 * Inspects and enhances an image, once its credits are reserved. Where that is prevented, it enhances as usual.
 * @throws Failure of the upload, or for an order that does not fit its image
 */
async function enhanceWithInspection(work: InspectingWork): Promise<EnhanceOutcome> {
  const { shared, job, open } = work;
  const options = toWorkOptions(work);
  open.mayHaveResult = true;
  const activityId = engineActivityId(job.enhancementId, 'enhance');
  const both = await inspectAndEnhance.executeWithOptions({ ...options, activityId }, [job]).catch((error: unknown) => {
    if (isCancellation(error)) throw error;
    return null;
  });
  shared.found = both?.inspection ?? null;
  await untilRecorded(work);
  // The size of the picture is known only now, and with it the queue of its work.
  return both === null ? makeResult(work, toWorkOptions(work)) : atMostReserved(work, both.outcome);
}

/**
 * Waits until the upload is recorded. It is inspected by itself if no inspection is known yet.
 * @throws Failure of the upload, or for an order that does not fit its image
 */
export async function untilRecorded({ shared, upload: { state }, job, open }: EnhancementWork): Promise<void> {
  if (shared === undefined || shared.isRecorded) return;
  shared.found ??= null;
  await condition(() => shared.isRecorded);
  try {
    const { status, errorCode, errorDetail } = state;
    if (status === 'UPLOAD_FAILED')
      throw new Failure(errorCode ?? 'INTERNAL', errorDetail === null ? {} : { detail: errorDetail });
    assertFits(state, job.plan, job.parameters);
  } catch (error) {
    // It ends as one that never began.
    Object.assign(open.tracker.state, { estimatedCredits: null, startedAt: null });
    throw error;
  }
}
