import { condition } from '@temporalio/workflow';
import { toPlanTerms } from '../../domain/accounts/account.ts';
import { differInPagesAtMost } from '../../domain/enhancement/paid-work.ts';
import type { EnhancementWork, OpenEnhancement } from './open-enhancement.ts';

/*
 * Enhancements of one upload whose parameters differ in `pages` alone work one after the other. So each of them knows what the
 * others have paid, and none pays for the same image again. Orders without `pages` never wait for each other.
 */

/** Takes the turn once no other enhancement has it. */
export async function takePageTurn(work: EnhancementWork): Promise<void> {
  // Several that wait wake up at the same time, and the first of them takes the turn.
  while (isTaken(work)) await condition(() => !isTaken(work));
  work.open.hasPageTurn = true;
}

export function givePageTurn(open: OpenEnhancement): void {
  open.hasPageTurn = false;
}

function isTaken({ open, job, others }: EnhancementWork): boolean {
  const { maxResolution } = toPlanTerms(job.plan);
  const { parameters } = open.request;
  return [...others()].some(
    (other) =>
      other !== open &&
      other.hasPageTurn &&
      (parameters.pages ?? other.request.parameters.pages) !== undefined &&
      differInPagesAtMost(parameters, other.request.parameters, maxResolution),
  );
}
