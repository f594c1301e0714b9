import type { EnhanceJob, EnhanceOutcome } from '../activities/provider/provider.ts';
import { Failure } from '../domain/failures.ts';
import type { HostedPolicy } from '../domain/workflow-inputs.ts';
import type { EnhancementParts } from './enhancement-parts.ts';
import { beginOnce } from './lost-answer.ts';
import type { RemoteCalls } from './remote-calls.ts';
import { remoteFailure } from './remote-failure.ts';
import { withRemotePlace } from './remote-place.ts';
import { awaitRemote } from './remote-wait.ts';

/** Hours for a PDF of 1,000 MB in a full queue; beyond this nothing is expected any more. */
const FINISHED_WITHIN_MS = 24 * 3_600_000;

export interface RemoteEnhancing extends EnhancementParts {
  job: EnhanceJob;
  remoteUploadId: string;
  policy: HostedPolicy;
  calls: RemoteCalls;
}

/**
 * Has the hosted service make the result: begin → wait → download. One that was cancelled or given up here and finishes
 * there later is never asked for again: it goes with its upload.
 * @throws Failure with the code that the record then shows
 */
export async function enhanceRemotely(work: RemoteEnhancing): Promise<EnhanceOutcome> {
  const { job, remoteUploadId, policy, tracker, approval, calls, providerEvents: wakeUps } = work;
  const { state } = tracker;
  const { enhancementId, source, parameters } = job;
  const { accountId } = state;
  const { mimetype } = source;

  return withRemotePlace(state, calls, wakeUps, async () => {
    const beginning = { accountId, enhancementId, remoteUploadId, mimetype, parameters };
    const remoteId = await beginOnce({ job: beginning, policy, tracker, approval, calls, wakeUps });
    const at = new Date().toISOString();
    await tracker.move(
      { status: 'PROCESSING', remoteId, startedAt: at },
      `The hosted service enhances it as ${remoteId}.`,
    );

    const remote = await awaitRemote({
      read: () => calls.readRemoteEnhancement({ remoteEnhancementId: remoteId }),
      settled: ({ status }) => status !== 'running',
      wakeUps,
      withinMs: FINISHED_WITHIN_MS,
      summary: 'hosted service enhances',
    });
    if (remote === undefined) {
      throw new Failure('PROVIDER_UNAVAILABLE', { detail: 'The hosted service did not finish within 24 hours.' });
    }
    if (remote.status !== 'finished') throw remoteFailure(remote.errorCode, 'enhance the file');

    const { resultKey } = job;
    const result = await calls.collectRemoteResult({ enhancementId, remoteEnhancementId: remoteId, source, resultKey });
    return {
      result,
      engine: {
        version: 'hosted',
        steps: [],
        notes: [`Enhanced by the hosted service as ${remoteId}.`],
        durationMs: remote.durationMs ?? 0,
      },
      credits: state.estimatedCredits ?? 0,
    };
  });
}
