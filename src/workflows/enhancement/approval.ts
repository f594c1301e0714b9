import { condition } from '@temporalio/workflow';
import type { Enhancement } from '../../domain/enhancement/enhancement.ts';
import { Failure } from '../../domain/failures.ts';
import { refusal } from '../failure-reason.ts';
import type { Rest } from '../machinery-backoff.ts';
import type { EnhancementTracker } from './enhancement-state.ts';

/** How long an enhancement waits for a decision (docs/contract.md). */
const APPROVAL_TIMEOUT_MS = 7 * 24 * 3_600_000;

type Decision = 'approved' | 'rejected';

/** The decision of a person. */
export interface Approval {
  /** @throws ApplicationFailure BAD_USER_INPUT when there is nothing to decide, or the other decision was taken */
  assertOpenTo(wanted: Decision): void;
  /** Takes a decision; answers the state that it led to. */
  decide(taken: Decision): Promise<Enhancement>;
  /**
   * @param why sentence for the timeline
   * @param since when the wait began, milliseconds since the epoch
   * @throws Failure APPROVAL_REJECTED when rejected or when nobody decided in time
   */
  wait(why: string, since: number): Promise<void>;
}

export function createApproval({ state, move }: EnhancementTracker, rest: Rest): Approval {
  let decision: Decision | null = null;

  return {
    assertOpenTo(wanted) {
      if (state.status !== 'AWAITING_APPROVAL') {
        const detail = `The enhancement is ${state.status}; only one that is AWAITING_APPROVAL can be decided on.`;
        throw refusal(new Failure('BAD_USER_INPUT', { detail }));
      }
      // Two people may decide at once: the second must not be told that it went their way.
      if (decision !== null && decision !== wanted) {
        throw refusal(new Failure('BAD_USER_INPUT', { detail: `The enhancement has been ${decision} already.` }));
      }
    },
    async decide(taken) {
      decision ??= taken;
      // The answer shows what the decision led to, not the state before it.
      await condition(() => state.status !== 'AWAITING_APPROVAL');
      return state;
    },
    async wait(why, since) {
      // An earlier decision was about another question.
      decision = null;
      if (state.status !== 'AWAITING_APPROVAL') {
        await move({ status: 'AWAITING_APPROVAL', waitingFor: 'approval' }, why, { announce: true });
      }
      const left = Math.max(1, since + APPROVAL_TIMEOUT_MS - Date.now());
      await rest(() => condition(() => decision !== null, left, { summary: `approval of ${state.id}` }));
      if (decision === 'approved') {
        await move({ status: 'QUEUED' }, 'Approved.');
        return;
      }
      const detail = decision === 'rejected' ? 'The enhancement was rejected.' : 'Nobody approved it within 7 days.';
      throw new Failure('APPROVAL_REJECTED', { detail });
    },
  };
}
