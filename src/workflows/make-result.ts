import { isCancellation } from '@temporalio/workflow';
import type { EnhanceJob, EnhanceOutcome } from '../activities/provider/provider.ts';
import type { EnhancementInput } from '../domain/workflow-inputs.ts';
import { enhanceLocally } from './enhance-locally.ts';
import { enhanceRemotely, type RemoteEnhancing } from './enhance-remotely.ts';
import type { EnhancementParts } from './enhancement-parts.ts';
import { asProviderFailure, isUnavailable, remoteCalls } from './remote-calls.ts';
import { awaitRemoteCredits, isOutOfRemoteCredits } from './remote-credits.ts';

/**
 * Has the result made by whom the upload is served. The local engine also takes over what the hosted service leaves, where
 * that is agreed; what may finish there later is discarded with the upload.
 * @param summary what a person sees in the Web UI
 */
export async function makeResult(
  input: EnhancementInput,
  job: EnhanceJob,
  parts: EnhancementParts,
  summary: string,
): Promise<EnhanceOutcome> {
  const { tracker } = parts;
  const { state } = tracker;
  const { hosted: policy } = input;
  const { remoteId: remoteUploadId = null } = input.upload;
  if (state.provider === 'hosted' && policy !== undefined && remoteUploadId !== null) {
    try {
      return await makeRemotely({ ...parts, job, remoteUploadId, policy, calls: remoteCalls(policy) });
    } catch (error) {
      if (isCancellation(error)) throw error;
      if (policy.fallback === 'none' || !isUnavailable(error)) throw asProviderFailure(error);
      await tracker.move(
        { provider: 'local' },
        'The hosted service is not available: the local engine takes over, and what may finish there is discarded.',
      );
    }
  }
  const reserved = state.estimatedCredits ?? 0;
  await tracker.move(
    { status: 'PROCESSING', startedAt: new Date().toISOString() },
    `Enhancing; ${reserved} credits reserved.`,
  );
  const outcome = await enhanceLocally(job, summary);
  // What was agreed on is what is paid, whoever did the work in the end.
  return { ...outcome, credits: Math.min(outcome.credits, reserved) };
}

/** The service may count its credits otherwise than it tells: a refusal for want of them goes back to waiting. */
async function makeRemotely(work: RemoteEnhancing): Promise<EnhanceOutcome> {
  const since = Date.now();
  for (let refused = false; ; refused = true) {
    await awaitRemoteCredits(work.tracker, work.calls, { since, refused });
    try {
      return await enhanceRemotely(work);
    } catch (error) {
      if (!isOutOfRemoteCredits(error)) throw error;
    }
  }
}
