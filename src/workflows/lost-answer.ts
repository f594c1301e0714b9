import { msToNumber } from '@temporalio/common';
import { ActivityFailure, ApplicationFailure, sleep, TimeoutFailure } from '@temporalio/workflow';
import type { RemoteEnhancementJob } from '../activities/hosted/hosted-service.ts';
import type { HostedPolicy } from '../domain/workflow-inputs.ts';
import type { Approval } from './approval.ts';
import type { EnhancementTracker } from './enhancement-state.ts';
import type { WakeUps } from './provider-events.ts';
import { isUnavailable, patienceMs, type RemoteCalls } from './remote-calls.ts';
import { awaitRemote } from './remote-wait.ts';

/** A service that has begun tells of it within this time, by a webhook or in its list. */
const SIGN_WITHIN_MS = 15 * 60_000;
/** Beginnings in all; each lost answer may have cost credits at the service. */
const MAX_BEGINNINGS = 3;

/** Between tries of which it is known that nothing was begun. */
const LONGEST_PAUSE_MS = 5 * 60_000;

export interface Beginning {
  job: RemoteEnhancementJob;
  policy: HostedPolicy;
  tracker: EnhancementTracker;
  approval: Approval;
  calls: RemoteCalls;
  wakeUps: WakeUps;
}

/**
 * Begins the enhancement at the service, at most once as far as anyone can know: beginning is not idempotent there. When
 * the answer is lost, a sign of what became of it is waited for; without one, the policy repeats, or a person decides.
 * @returns the enhancement's id at the service
 * @throws Failure APPROVAL_REJECTED when a person decided against another beginning
 */
export async function beginOnce({ job, policy, tracker, approval, calls, wakeUps }: Beginning): Promise<string> {
  for (let beginning = 1; ; beginning += 1) {
    const sinceMs = Date.now();
    const remoteId = await begin(job, calls, patienceMs(policy));
    if (remoteId !== null) return remoteId;
    tracker.timeline.say('The answer of the hosted service was lost: looking for a sign of what it began.');
    const found = await awaitRemote({
      read: () => calls.findLostEnhancement({ ...job, sinceMs }),
      settled: (sign) => sign !== null,
      wakeUps,
      withinMs: SIGN_WITHIN_MS,
      summary: 'a sign of the lost enhancement',
    });
    if (found) return found.remoteEnhancementId;
    if (policy.lostAnswer === 'repeat' && beginning < MAX_BEGINNINGS) {
      tracker.timeline.say('There is no sign of it: it is begun again.');
      continue;
    }
    await approval.wait(
      'The hosted service may have begun, and its answer was lost: held, because another beginning may be charged there twice. Approve to begin again.',
    );
  }
}

/**
 * Tries until the service has answered. A try of which it is known that nothing was begun is repeated, with growing pauses
 * or the one that the service asked for.
 * @returns null when nobody knows whether it has begun
 */
async function begin(job: RemoteEnhancementJob, calls: RemoteCalls, patience: number): Promise<string | null> {
  const deadline = Date.now() + patience;
  for (let pause = 1_000; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return (await calls.beginRemoteEnhancement(job)).remoteEnhancementId;
    } catch (error) {
      if (isLostAnswer(error)) return null;
      const asked = nextRetryDelayMs(error);
      const wait = asked ?? pause;
      if (!isUnavailable(error) || Date.now() + wait > deadline) throw error;
      await sleep(wait, { summary: 'the hosted service is away' });
    }
  }
}

/** The activity says so; or it ran out of time, as when its worker died with it, and nobody knows. */
function isLostAnswer(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const { cause } = error;
  return cause instanceof TimeoutFailure || (cause instanceof ApplicationFailure && cause.type === 'ANSWER_LOST');
}

function nextRetryDelayMs(error: unknown): number | undefined {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return undefined;
  const { nextRetryDelay } = error.cause;
  return nextRetryDelay ? msToNumber(nextRetryDelay) : undefined;
}
