import { CancellationScope } from '@temporalio/workflow';
import type { EnhanceJob, EnhanceOutcome } from '../../activities/provider/provider.ts';
import { engineActivityId } from '../../domain/temporal/messages.ts';
import { mediaKind } from '../../domain/upload/media.ts';
import { deleteWork, enhance } from '../activities.ts';
import { throughTrouble, type WaitNotice } from '../patience.ts';
import type { WorkOptions } from '../priority.ts';
import { enhanceInSpans } from './enhance-in-spans.ts';

/**
 * Makes the result with the local engine: one activity for an image and for a PDF with little work; for a large PDF that activity
 * makes the plan, and its spans run on every engine worker. May be cancelled at any await; nothing that was kept for the work is
 * left behind.
 */
export async function enhanceLocally(
  job: EnhanceJob,
  waits: WaitNotice,
  options: WorkOptions,
): Promise<EnhanceOutcome> {
  let inStorage = mediaKind(job.source.mimetype) === 'pdf';
  try {
    const made = await throughTrouble(waits, (patience) =>
      enhance.executeWithOptions(
        { ...patience, ...options, activityId: engineActivityId(job.enhancementId, 'enhance') },
        [job],
      ),
    );
    if ('spans' in made) return await enhanceInSpans(job, made, waits, options);
    inStorage = false;
    return made;
  } finally {
    if (inStorage) await CancellationScope.nonCancellable(() => deleteWork({ resultKey: job.resultKey }));
  }
}
