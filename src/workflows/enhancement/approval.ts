import { condition } from '@temporalio/workflow';
import { APPROVAL_MS, decisionRefusal, noApproval, type Decision, type Enhancement } from '@burnish/contract';
import { waitUntil } from '../../test-accounts/workflow-clock.ts';
import { refusal, type WhileIdle } from '../step.ts';

/** The decision of a person on an estimate. */
export interface Approval {
  /** @throws ApplicationFailure CONFLICT when no decision is pending, or when the opposite decision was made */
  assertOpenTo(wanted: Decision): void;
  /** Records a decision and returns the state after it. */
  decide(taken: Decision): Promise<Enhancement>;
  /**
   * @param why sentence for the timeline
   * @param since start of the wait, milliseconds since the epoch
   * @throws Failure APPROVAL_REJECTED when rejected, or without a decision in time
   */
  wait(why: string, since: number): Promise<void>;
}

interface ApprovedRecord {
  readonly state: Enhancement;
  move(changes: Partial<Enhancement>, sentence: string, options?: { announce: boolean }): Promise<void>;
}

export function createApproval({ state, move }: ApprovedRecord, whileIdle: WhileIdle): Approval {
  let decision: Decision | null = null;

  return {
    assertOpenTo(wanted) {
      const reason = decisionRefusal(state.status, decision, wanted);
      if (reason !== undefined) throw refusal(reason);
    },
    async decide(taken) {
      decision ??= taken;
      // The response shows the state after the decision, not before it.
      await condition(() => state.status !== 'AWAITING_APPROVAL');
      return state;
    },
    async wait(why, since) {
      if (state.status !== 'AWAITING_APPROVAL') {
        // An earlier decision belongs to an earlier wait.
        decision = null;
        await move({ status: 'AWAITING_APPROVAL', waitingFor: 'approval' }, why, { announce: true });
      }
      await whileIdle(() =>
        waitUntil(since + APPROVAL_MS, () => decision !== null, { summary: `approval of ${state.id}` }),
      );
      if (decision === 'approved') {
        await move({ status: 'QUEUED' }, 'Approved.');
        return;
      }
      throw noApproval(decision);
    },
  };
}
