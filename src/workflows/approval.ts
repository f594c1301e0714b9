import { condition, setHandler } from '@temporalio/workflow';
import type { Enhancement } from '../domain/enhancement.ts';
import { Failure } from '../domain/failures.ts';
import { approveEnhancement, rejectEnhancement } from '../domain/messages.ts';
import type { EnhancementTracker } from './enhancement-state.ts';
import { refusal } from './failure-reason.ts';

/** How long an enhancement waits for a decision (docs/contract.md). */
const APPROVAL_TIMEOUT_MS = 7 * 24 * 3_600_000;

/** The decision of a person. */
export interface Approval {
  /**
   * @param why sentence for the timeline
   * @throws Failure APPROVAL_REJECTED when rejected or when nobody decided in time
   */
  wait(why: string): Promise<void>;
}

/** Made before the first await, so that no command comes too early. */
export function createApproval(tracker: EnhancementTracker): Approval {
  const { state } = tracker;
  let decision: 'approved' | 'rejected' | null = null;

  const decide = async (taken: 'approved' | 'rejected'): Promise<Enhancement> => {
    decision ??= taken;
    // The answer shows what the decision led to, not the state before it.
    await condition(() => state.status !== 'AWAITING_APPROVAL');
    return state;
  };
  const assertOpenTo = (wanted: 'approved' | 'rejected'): void => {
    if (state.status !== 'AWAITING_APPROVAL') {
      const detail = `The enhancement is ${state.status}; only one that is AWAITING_APPROVAL can be decided on.`;
      throw refusal(new Failure('BAD_USER_INPUT', { detail }));
    }
    // Two people may decide at once: whoever comes second must not be told that it went their way.
    if (decision !== null && decision !== wanted) {
      throw refusal(new Failure('BAD_USER_INPUT', { detail: `The enhancement has been ${decision} already.` }));
    }
  };
  setHandler(approveEnhancement, () => decide('approved'), { validator: () => assertOpenTo('approved') });
  setHandler(rejectEnhancement, () => decide('rejected'), { validator: () => assertOpenTo('rejected') });

  return {
    async wait(why) {
      // What was approved before was another question.
      decision = null;
      await tracker.move({ status: 'AWAITING_APPROVAL' }, why);
      await tracker.tell();
      await condition(() => decision !== null, APPROVAL_TIMEOUT_MS, { summary: 'approval' });
      if (decision === 'approved') {
        await tracker.move({ status: 'QUEUED' }, 'Approved.');
        return;
      }
      const detail = decision === 'rejected' ? 'The enhancement was rejected.' : 'Nobody approved it within 7 days.';
      throw new Failure('APPROVAL_REJECTED', { detail });
    },
  };
}
