import { CancellationScope, condition, getExternalWorkflowHandle } from '@temporalio/workflow';
import type { Enhancement } from '../domain/enhancement.ts';
import { enhancementWorkflowId, providerEvent } from '../domain/messages.ts';
import type { WakeUps } from './provider-events.ts';
import type { RemoteCalls } from './remote-calls.ts';

/** A claim lapses unless it is renewed; whoever gives a place back wakes the next, so this is no polling for speed. */
const RENEW_CLAIM_MS = 5 * 60_000;

/**
 * Runs work while holding one of the places that bound the enhancements at the service, over all workers. Waits for one
 * for as long as it takes: places come free, and go round between accounts.
 */
export async function withRemotePlace<T>(
  { id: enhancementId, accountId }: Pick<Enhancement, 'id' | 'accountId'>,
  calls: RemoteCalls,
  wakeUps: WakeUps,
  work: () => Promise<T>,
): Promise<T> {
  try {
    for (;;) {
      const seen = wakeUps();
      const { granted } = await calls.claimRemotePlace({ accountId, enhancementId });
      if (granted) break;
      await condition(() => wakeUps() > seen, RENEW_CLAIM_MS, { summary: 'a place at the hosted service' });
    }
    return await work();
  } finally {
    await CancellationScope.nonCancellable(() => release(enhancementId, calls));
  }
}

async function release(enhancementId: string, calls: RemoteCalls): Promise<void> {
  const { next } = await calls.releaseRemotePlace({ enhancementId });
  if (next === null) return;
  try {
    const waiting = getExternalWorkflowHandle(enhancementWorkflowId(next));
    await waiting.signal(providerEvent, { eventId: `place-from-${enhancementId}` });
  } catch {
    // It has been cancelled at this very moment, and has given the place back itself.
  }
}
