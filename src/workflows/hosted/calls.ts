import { ActivityCancellationType, ActivityFailure, proxyActivities, TimeoutFailure } from '@temporalio/workflow';
import type { HostedService } from '../../activities/hosted/hosted-service.ts';
import { Failure } from '../../domain/failures.ts';
import { HOSTED_ABSENCE_MS, HOSTED_DELETION_ABSENCE_MS, RETRIES } from '../../domain/temporal/retry-policies.ts';
import { HOSTED_TASK_QUEUE, type HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import { timeoutsOf } from '../../domain/temporal/timeouts.ts';
import { failureReason } from '../step-failures.ts';

/** Milliseconds for which the service may be away. */
export function toleratedAbsenceMs({ fallback, fallbackAfterMs }: HostedPolicy): number {
  return fallback === 'local' ? fallbackAfterMs : HOSTED_ABSENCE_MS;
}

export type HostedCalls = HostedService;

/**
 * The calls to the hosted service, with their timeouts and retries. Temporal repeats them for as long as the policy
 * tolerates its absence, with growing intervals, or those that the service asked for; the history does not grow with that.
 * @param summary shown in the list of activities, such as the name of the file
 */
export function hostedCalls(policy: HostedPolicy, summary: string): HostedCalls {
  const absenceMs = toleratedAbsenceMs(policy);
  const common = {
    taskQueue: HOSTED_TASK_QUEUE,
    summary,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    ...timeoutsOf('hostedCall'),
    retry: RETRIES.hosted,
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
  const transfer = timeoutsOf('hostedTransfer');
  const { placeRemoteUpload, collectRemoteResult } = proxyActivities<HostedService>({
    ...common,
    ...transfer,
    scheduleToCloseTimeout: absenceMs + transfer.startToCloseTimeout,
  });
  const { beginRemoteEnhancement } = proxyActivities<HostedService>({ ...common, retry: RETRIES.hostedBegin });
  const { deleteRemoteUpload } = proxyActivities<HostedService>({
    ...common,
    retry: RETRIES.hostedDeletion,
    scheduleToCloseTimeout: HOSTED_DELETION_ABSENCE_MS,
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
