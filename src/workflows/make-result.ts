import type { EnhanceJob, EnhanceOutcome } from '../activities/provider/provider.ts';
import { counted } from '../domain/counted.ts';
import type { EnhancementInput } from '../domain/workflow-inputs.ts';
import { enhanceLocally } from './enhance-locally.ts';
import { enhanceRemotely, type RemoteEnhancing } from './enhance-remotely.ts';
import type { EnhancementParts } from './enhancement-parts.ts';
import type { EnhancementTracker } from './enhancement-state.ts';
import { remoteCalls } from './remote-calls.ts';
import { awaitRemoteCredits, isOutOfRemoteCredits } from './remote-credits.ts';
import { servedRemotely } from './served-remotely.ts';

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
  const { hosted: policy } = input;
  const { remoteId: remoteUploadId = null } = input.upload;
  const here = () => makeLocally(job, tracker, summary);
  if (tracker.state.provider === 'local' || policy === undefined || remoteUploadId === null) return here();
  return servedRemotely(
    policy,
    () => makeRemotely({ ...parts, job, remoteUploadId, policy, calls: remoteCalls(policy) }),
    async () => {
      await tracker.move(
        { provider: 'local' },
        'The hosted service is not available: the local engine takes over, and what may finish there is discarded.',
      );
      return here();
    },
  );
}

async function makeLocally(job: EnhanceJob, tracker: EnhancementTracker, summary: string): Promise<EnhanceOutcome> {
  const reserved = tracker.state.estimatedCredits ?? 0;
  await tracker.move(
    { status: 'PROCESSING', startedAt: new Date().toISOString() },
    `Enhancing; ${counted(reserved, 'credit')} reserved.`,
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
