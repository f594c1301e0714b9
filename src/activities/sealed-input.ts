import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { acceptUnsealed, UNSEALED_SENTENCE } from '../domain/temporal/unsealed.ts';
import type { FailureLog } from './failure.ts';

/**
 * Refuses an activity whose input no key of this instance has encrypted, before anything of it is read. Such an input comes from no
 * workflow of ours, so it is not tried again. Without encryption no input is marked.
 */
export function sealedInputInterceptor({ info }: Context, log: FailureLog): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const args = acceptUnsealed(input.args, info.scheduledTimestampMs);
      if (args !== undefined) return next({ ...input, args });
      const { activityType, workflowExecution } = info;
      const facts = { activityType, workflowId: workflowExecution?.workflowId };
      log.error(facts, 'activity refused: its input is not encrypted with a key of this instance');
      throw ApplicationFailure.create({ type: 'UNSEALED_PAYLOAD', message: UNSEALED_SENTENCE, nonRetryable: true });
    },
  };
}
