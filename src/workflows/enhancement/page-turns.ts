import { condition } from '@temporalio/workflow';
import { toPlanTerms } from '../../domain/accounts/account.ts';
import { differInPagesAtMost } from '../../domain/enhancement/paid-work.ts';
import type { EnhancementWork, OpenEnhancement } from './open-enhancement.ts';

/*
 * Enhancements of one upload whose parameters differ in `pages` alone work one after the other. So each of them knows what the
 * others have paid, and none pays for the same image again. Orders without `pages` never wait for each other.
 */

/**
 * Takes the turn if no other enhancement has it. It returns a value and not a promise, because another await would change the
 * order of commands in recorded histories.
 */
export function takePageTurn(work: EnhancementWork): boolean {
  if (isTaken(work)) return false;
  work.open.hasPageTurn = true;
  return true;
}

/** Waits for the turn and takes it. */
export async function awaitPageTurn(work: EnhancementWork): Promise<void> {
  // Several that wait wake up at the same time, and the first of them takes the turn.
  do await condition(() => !isTaken(work));
  while (!takePageTurn(work));
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
