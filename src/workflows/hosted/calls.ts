import { ActivityCancellationType, ActivityFailure, proxyActivities, TimeoutFailure } from '@temporalio/workflow';
import type { HostedService } from '../../activities/hosted/hosted-service.ts';
import { Failure } from '../../domain/failures.ts';
import { HOSTED_TASK_QUEUE } from '../../domain/temporal/task-queues.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-inputs.ts';
import { failureReason } from '../failure-reason.ts';

/** How long the service may be away before an upload or an enhancement that has no other way fails. */
const LONGEST_ABSENCE_MS = 24 * 3_600_000;

/** Time for one try at a call, and at bringing or fetching a file of up to 1,000 MB. */
const CALL_TIMEOUT_MS = 60_000;
const TRANSFER_TIMEOUT_MS = 3_600_000;

/** A service that is away for a week keeps its files until its own retention ends them. */
const DELETION_ABSENCE = '7 days';

/** Milliseconds for which the service may be away. */
export function toleratedAbsenceMs({ fallback, fallbackAfterMs }: HostedPolicy): number {
  return fallback === 'local' ? fallbackAfterMs : LONGEST_ABSENCE_MS;
}

export type HostedCalls = HostedService;

/**
 * The calls to the hosted service, with their timeouts and retries. Temporal repeats them for as long as the policy
 * tolerates its absence, with growing pauses, or those that the service asked for; the history does not grow with that.
 */
export function hostedCalls(policy: HostedPolicy): HostedCalls {
  const absenceMs = toleratedAbsenceMs(policy);
  const retry = { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 min' } as const;
  const common = {
    taskQueue: HOSTED_TASK_QUEUE,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    startToCloseTimeout: CALL_TIMEOUT_MS,
    retry,
  } as const;
  // A proxy makes each activity when it is asked for by name.
  const {
    readRemoteUpload,
    analyzeRemoteUpload,
    readRemoteCredits,
    findLostEnhancement,
    readRemoteEnhancement,
    claimSlot,
    releaseSlot,
  } = proxyActivities<HostedService>({ ...common, scheduleToCloseTimeout: absenceMs });
  const { placeRemoteUpload, collectRemoteResult } = proxyActivities<HostedService>({
    ...common,
    heartbeatTimeout: '10 s',
    startToCloseTimeout: TRANSFER_TIMEOUT_MS,
    scheduleToCloseTimeout: absenceMs + TRANSFER_TIMEOUT_MS,
  });
  // Beginning is not idempotent there: begin-once.ts decides whether there is another attempt.
  const { beginRemoteEnhancement } = proxyActivities<HostedService>({ ...common, retry: { maximumAttempts: 1 } });
  const { deleteRemoteUpload } = proxyActivities<HostedService>({
    ...common,
    retry: { ...retry, maximumInterval: '15 min' },
    scheduleToCloseTimeout: DELETION_ABSENCE,
  });
  return {
    readRemoteUpload,
    analyzeRemoteUpload,
    readRemoteCredits,
    findLostEnhancement,
    readRemoteEnhancement,
    claimSlot,
    releaseSlot,
    placeRemoteUpload,
    collectRemoteResult,
    beginRemoteEnhancement,
    deleteRemoteUpload,
  };
}

/** Whether the service was away for longer than the policy tolerates, or said itself that it cannot serve. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ActivityFailure && error.cause instanceof TimeoutFailure) return true;
  const { code } = failureReason(error);
  return code === 'PROVIDER_UNAVAILABLE' || code === 'RATE_LIMITED';
}

/** What the record says when a call has failed for good, in words that the caller can place. */
export function asProviderFailure(error: unknown): unknown {
  // To the caller, "nothing here by that id" would speak of our own record.
  if (failureReason(error).code === 'NOT_FOUND') {
    return new Failure('PROVIDER_REJECTED', { detail: 'The hosted service does not have the file any more.' });
  }
  if (!isUnavailable(error)) return error;
  const timedOut = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure;
  return new Failure('PROVIDER_UNAVAILABLE', timedOut ? {} : { detail: failureReason(error).detail });
}
