import { ActivityCancellationType, ActivityFailure, proxyActivities, TimeoutFailure } from '@temporalio/workflow';
import { Failure } from '@burnish/contract';
import type { HostedService } from '../../activities/hosted/hosted-service.ts';
import { HOSTED_ABSENCE_MS, HOSTED_DELETION_ABSENCE_MS, RETRIES } from '../../domain/temporal/retry-policies.ts';
import { HOSTED_TASK_QUEUE, type HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import { getTimeouts } from '../../domain/temporal/timeouts.ts';
import { failureReason } from '../step.ts';

/** Maximum time, in milliseconds, for which the service may be unavailable. */
export function toleratedAbsenceMs({ fallback, fallbackAfterMs }: HostedPolicy): number {
  return fallback === 'local' ? fallbackAfterMs : HOSTED_ABSENCE_MS;
}

export type HostedCalls = HostedService;

/**
 * Calls to the hosted service with their timeouts and retries. Temporal retries them for as long as the policy tolerates an
 * outage. The intervals grow, unless the service asks for a specific delay. Retries add nothing to the history.
 * @param summary shown in the list of activities, such as the name of the file
 */
export function hostedCalls(policy: HostedPolicy, summary: string): HostedCalls {
  const absenceMs = toleratedAbsenceMs(policy);
  const common = {
    taskQueue: HOSTED_TASK_QUEUE,
    summary,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    ...getTimeouts('hostedCall'),
    retry: RETRIES.hosted,
  } as const;
  const {
    readRemoteUpload,
    analyzeRemoteUpload,
    readRemoteCredits,
    findLostEnhancement,
    readRemoteEnhancement,
    claimSlot,
    releaseSlot,
  } = proxyActivities<HostedService>({ ...common, scheduleToCloseTimeout: absenceMs });
  const transfer = getTimeouts('hostedTransfer');
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

/** Whether the service was unavailable for longer than the policy tolerates, or reported that it cannot serve requests. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ActivityFailure && error.cause instanceof TimeoutFailure) return true;
  const { code } = failureReason(error);
  return code === 'PROVIDER_UNAVAILABLE' || code === 'RATE_LIMITED';
}

/** Converts the final failure of a call into the one in the record, in terms that the caller of Burnish understands. */
export function asProviderFailure(error: unknown): unknown {
  // The caller would read NOT_FOUND as a statement about Burnish's own record.
  if (failureReason(error).code === 'NOT_FOUND') {
    return new Failure('PROVIDER_REJECTED', { detail: 'The hosted service no longer has the file.' });
  }
  if (!isUnavailable(error)) return error;
  const timedOut = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure;
  return new Failure('PROVIDER_UNAVAILABLE', timedOut ? {} : { detail: failureReason(error).detail });
}
