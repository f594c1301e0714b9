import type { EnhanceOutcome } from '../../activities/provider/provider.ts';
import { counted } from '../../domain/counted.ts';
import { hostedCalls } from '../hosted/calls.ts';
import { awaitHostedCredits, isOutOfHostedCredits } from '../hosted/credits.ts';
import { enhanceAtHosted, type HostedEnhancing } from '../hosted/enhance.ts';
import { withFallback } from '../hosted/fallback.ts';
import type { WorkOptions } from '../priority.ts';
import { enhanceLocally } from './enhance-locally.ts';
import type { EnhancementWork } from './open-enhancement.ts';

/**
 * Runs the enhancement on the upload's provider. The local engine takes over when the hosted service stays away, where that is
 * agreed; a result that the service makes later is discarded with the upload.
 */
export async function makeResult(work: EnhancementWork, options: WorkOptions): Promise<EnhanceOutcome> {
  const { open, upload, hosted: policy } = work;
  const { tracker } = open;
  const { remoteId: remoteUploadId } = upload.state;
  const here = () => makeLocally(work, options);
  if (tracker.state.provider === 'local' || policy === undefined || remoteUploadId === null) return here();
  return withFallback(
    policy,
    () => makeAtHosted({ ...work, remoteUploadId, policy, calls: hostedCalls(policy, options.summary) }),
    async () => {
      await tracker.move(
        { provider: 'local' },
        'The hosted service is not available: the local engine takes over, and a result that the service makes later is discarded.',
      );
      return here();
    },
  );
}

async function makeLocally(work: EnhancementWork, options: WorkOptions): Promise<EnhanceOutcome> {
  const { tracker } = work.open;
  const reserved = tracker.state.estimatedCredits ?? 0;
  if (tracker.state.status !== 'PROCESSING') {
    await tracker.move(
      { status: 'PROCESSING', startedAt: new Date().toISOString() },
      `Enhancing; ${counted(reserved, 'credit')} reserved.`,
    );
  }
  work.open.mayHaveResult = true;
  const outcome = await enhanceLocally(work.job, tracker.waits, options);
  // The agreed price is the most that is paid, whichever provider did the work in the end.
  return { ...outcome, credits: Math.min(outcome.credits, reserved) };
}

/** The service may count its credits otherwise than it tells: a refusal for lack of them goes back to waiting. */
async function makeAtHosted(work: HostedEnhancing): Promise<EnhanceOutcome> {
  work.open.mayHaveResult = true;
  for (let refusals = 0; ; refusals += 1) {
    if (work.open.tracker.state.remoteId === null && work.open.progress.lost === undefined) {
      await awaitHostedCredits(work.open, work.calls, refusals);
    }
    try {
      return await enhanceAtHosted(work);
    } catch (error) {
      if (!isOutOfHostedCredits(error)) throw error;
    }
  }
}
