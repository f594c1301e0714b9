import { Failure } from '@burnish/contract';
import type { EnhanceOutcome } from '../../activities/provider/local-context.ts';
import { type HostedPolicy, hostedEvent, uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import { HOSTED_WAITS } from '../../domain/temporal/waits.ts';
import type { EnhancementWork, EnhancementRun } from '../enhancement/enhancement-run.ts';
import { beginOnce } from './begin-once.ts';
import type { HostedCalls } from './calls.ts';
import { hostedFailure } from '../step.ts';
import { awaitHosted } from './wait.ts';
import { CancellationScope, condition, getExternalWorkflowHandle } from '@temporalio/workflow';

export interface HostedEnhancing extends EnhancementWork {
  remoteUploadId: string;
  policy: HostedPolicy;
  calls: HostedCalls;
}

/**
 * Lets the hosted service make the result: begin → wait → download. An enhancement that was cancelled or abandoned here may
 * finish there later. Its result is never fetched, and is deleted with its upload.
 * @throws Failure with the code for the record
 */
export async function enhanceAtHosted(work: HostedEnhancing): Promise<EnhanceOutcome> {
  const { job, open, calls } = work;
  const { tracker, wakeUps, whileIdle } = open;
  const { state } = tracker;

  return withSlot(open, calls, async () => {
    const remoteId = state.remoteId ?? (await begin(work));
    const answer = await awaitHosted({
      read: () => calls.readRemoteEnhancement({ remoteEnhancementId: remoteId }),
      settled: ({ status }) => status !== 'running',
      wakeUps: wakeUps.hosted,
      withinMs: HOSTED_WAITS.resultMs,
      since: Date.parse(state.startedAt ?? '') || Date.now(),
      summary: 'hosted service enhances',
      whileIdle,
    });
    if (answer === undefined) {
      throw new Failure('PROVIDER_UNAVAILABLE', { detail: 'The hosted service did not finish within 24 hours.' });
    }
    if (answer.status !== 'finished') throw hostedFailure(answer.errorCode, 'enhance the file');

    const { resultKey, enhancementId, source } = job;
    const result = await calls.collectRemoteResult({ enhancementId, remoteEnhancementId: remoteId, source, resultKey });
    return {
      result,
      engine: {
        version: 'hosted',
        steps: [],
        models: [],
        notes: [`Enhanced by the hosted service as ${remoteId}.`],
        durationMs: answer.durationMs ?? 0,
      },
      credits: state.estimatedCredits ?? 0,
    };
  });
}

async function begin({ job, open, upload, remoteUploadId, policy, calls }: HostedEnhancing): Promise<string> {
  const { enhancementId, source, parameters } = job;
  const { accountId } = open.tracker.state;
  const order = { accountId, enhancementId, remoteUploadId, mimetype: source.mimetype, parameters };
  const remoteId = await beginOnce({ job: order, policy, open, upload, calls });
  delete open.progress.lost;
  await open.tracker.move(
    { status: 'PROCESSING', remoteId, startedAt: new Date().toISOString() },
    `The id of the enhancement at the hosted service is ${remoteId}.`,
  );
  return remoteId;
}

/**
 * Runs work while it holds one of the slots of a semaphore. The semaphore limits enhancements at the service across all
 * workers. The wait for a slot has no time limit. Slots are fair per account, then FIFO.
 */
async function withSlot<T>(
  { tracker, wakeUps, whileIdle }: EnhancementRun,
  calls: HostedCalls,
  work: () => Promise<T>,
): Promise<T> {
  const { id: enhancementId, accountId } = tracker.state;
  try {
    for (;;) {
      const seen = wakeUps.hosted();
      const { granted } = await calls.claimSlot({ accountId, enhancementId });
      if (granted) break;
      await whileIdle(() =>
        condition(() => wakeUps.hosted() > seen, HOSTED_WAITS.claimRenewalMs, {
          summary: 'a slot at the hosted service',
        }),
      );
    }
    return await work();
  } finally {
    await CancellationScope.nonCancellable(() => release(enhancementId, calls));
  }
}

async function release(enhancementId: string, calls: HostedCalls): Promise<void> {
  const { next } = await calls.releaseSlot({ enhancementId });
  if (next === null) return;
  try {
    const waiting = getExternalWorkflowHandle(uploadWorkflowId(next.uploadId));
    await waiting.signal(hostedEvent, { eventId: `slot-of-${enhancementId}`, enhancementId: next.enhancementId });
  } catch {
    // The waiting enhancement was cancelled in the meantime, and has released the slot itself.
  }
}
