import { CancellationScope, condition, getExternalWorkflowHandle } from '@temporalio/workflow';
import { hostedEvent, uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import { HOSTED_WAITS } from '../../domain/temporal/waits.ts';
import type { EnhancementRun } from '../enhancement/enhancement-run.ts';
import type { HostedCalls } from './calls.ts';

/**
 * Runs work while it holds one of the slots of a semaphore. The semaphore limits enhancements at the service across all
 * workers. The wait for a slot has no time limit. Slots are fair per account, then FIFO.
 */
export async function withSlot<T>(
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
