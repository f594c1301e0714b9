import { condition } from '@temporalio/workflow';
import { differInPagesAtMost } from '../../domain/enhancement/paid-work.ts';
import type { EnhancementWork, EnhancementRun } from './enhancement-run.ts';

/*
 * Enhancements of one upload whose parameters differ in `pages` alone work one after the other. So each of them knows what the
 * others have paid, and none pays for the same image again. Orders without `pages` never wait for each other.
 */

/** Locks the pages once no other enhancement has them. */
export async function acquirePagesLock(work: EnhancementWork): Promise<void> {
  // Several that wait wake up at the same time, and the first of them gets the lock.
  while (isLocked(work)) await condition(() => !isLocked(work));
  work.open.hasPagesLock = true;
}

export function releasePagesLock(open: EnhancementRun): void {
  open.hasPagesLock = false;
}

function isLocked({ open, job, others }: EnhancementWork): boolean {
  const { maxResolution } = job.plan;
  const { parameters } = open.request;
  return [...others()].some(
    (other) =>
      other !== open &&
      other.hasPagesLock &&
      (parameters.pages ?? other.request.parameters.pages) !== undefined &&
      differInPagesAtMost(parameters, other.request.parameters, maxResolution),
  );
}
