import { Failure } from '../failure.ts';
import { isTerminal, type EnhancementStatus } from './enhancement.ts';

/** What a person decided about an estimate above `maxCredits`. */
export type Decision = 'approved' | 'rejected';

/**
 * Why a decision cannot be taken: no enhancement waits for it, or the opposite one was taken. Two users may decide at the same time, and the
 * opposite of the first decision must not return success.
 * @param taken the decision of this wait, before the status shows it
 */
export function decisionRefusal(
  status: EnhancementStatus,
  taken: Decision | null,
  wanted: Decision,
): Failure | undefined {
  if (status !== 'AWAITING_APPROVAL') {
    const detail = `The enhancement is ${status}; only an enhancement that is AWAITING_APPROVAL can be approved or rejected.`;
    return new Failure('CONFLICT', { detail });
  }
  if (taken === null || taken === wanted) return undefined;
  return new Failure('CONFLICT', { detail: `The enhancement has been ${taken} already.` });
}

/** Why an enhancement cannot be cancelled: it has ended otherwise. */
export function cancellationRefusal(status: EnhancementStatus): Failure | undefined {
  if (status === 'CANCELLED' || !isTerminal(status)) return undefined;
  return new Failure('CONFLICT', {
    detail: `The enhancement is ${status}; only one that waits or runs can be cancelled.`,
  });
}

/** The failure of an enhancement that was not approved. @param decision null when its time is over */
export function noApproval(decision: 'rejected' | null): Failure {
  const fault = decision === null ? 'Nobody approved the enhancement within 7 days' : 'The enhancement was rejected';
  return new Failure('APPROVAL_REJECTED', { detail: `${fault}, so nothing was charged.` });
}
