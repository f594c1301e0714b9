import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { DeletionReason, PlanTerms } from '@burnish/contract';
import type { UploadInput } from '../domain/temporal/workflow-interface.ts';
import { checkCredits } from './enhancement/check-credits.ts';
import { deliver } from './enhancement/destination.ts';
import { download } from './enhancement/download.ts';
import { enhance } from './enhancement/enhance.ts';
import { notify, type EnhancementContext, type EnhancementRun } from './enhancement/enhancement-run.ts';
import { prepareWork } from './enhancement/prepare-work.ts';
import { undo } from './enhancement/undo.ts';
import { analyze } from './upload/analyze.ts';
import { type CarriedUpload, initialState } from './upload/carried-upload.ts';
import { openUpload } from './upload/open-upload.ts';
import { remove } from './upload/remove.ts';
import { isTooLong, untilAsked } from './upload/until-asked.ts';
import { lacksFile, upload } from './upload/upload.ts';

/**
 * Owns one upload from its first byte to its deletion: upload, analyze, then each order, until the retention ends. Temporal
 * knows this workflow as `upload`. A deletion cancels it at any await, together with every order.
 */
export async function lifecycle(input: UploadInput, carried: CarriedUpload = initialState(input)): Promise<void> {
  const context = openUpload(input, carried, fulfil);
  let reason: DeletionReason = 'user';
  try {
    await context.scope.run(async () => {
      // A file that the gateway has received is in storage already.
      if (lacksFile(context)) await upload(context);
      do {
        await analyze(context);
        if (!isTooLong()) context.enhancements.startWaiting();
      } while (await untilAsked(context));
    });
    reason = 'retention';
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
  await CancellationScope.nonCancellable(() => remove(context, reason));
}

/**
 * Fulfils one order: check credits, enhance, download, notify. It always ends in a terminal status with the ledger balanced.
 * Unless it finished, it leaves no files in storage.
 * @param plan the account's plan at the time of the request
 */
async function fulfil(run: EnhancementRun, context: EnhancementContext, plan: PlanTerms): Promise<void> {
  // After continue-as-new, or after the loss of a workflow, a finished one only has its destination to reach.
  if (run.tracker.state.status === 'FINISHED') return deliver(run);
  try {
    await run.scope.run(async () => {
      const work = prepareWork(run, context, plan);
      const reused = await checkCredits(work);
      const outcome = reused ?? (await enhance(work));
      notify(work, await download(work, outcome));
    });
  } catch (error) {
    await undo(run, error);
  } finally {
    if (context.shared !== undefined) context.shared.found ??= null;
  }
  await deliver(run);
}
