import type { Context } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { readTraceHeader } from '../domain/temporal/trace-header.ts';
import { inSpan, parentFrom } from '../tracing/span.ts';

/**
 * A span for each attempt of an activity, under the command that caused it. Activities of workflows from before tracing have none.
 */
export function traceInterceptor({ info }: Pick<Context, 'info'>): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const trace = readTraceHeader(input.headers);
      if (trace === undefined) return next(input);
      const { activityType, activityId, attempt, workflowExecution, taskQueue } = info;
      const attributes = {
        temporalWorkflowID: workflowExecution?.workflowId ?? '',
        temporalRunID: workflowExecution?.runId ?? '',
        temporalActivityID: activityId,
        'burnish.attempt': attempt,
        'burnish.task_queue': taskQueue,
      };
      const outcome = await inSpan(
        `RunActivity:${activityType}`,
        { kind: 'CONSUMER', attributes, parent: parentFrom(trace) },
        async (span) => {
          try {
            return { result: await next(input) };
          } catch (error) {
            // A cancellation was asked for, and is no error.
            if (!(error instanceof CancelledFailure)) throw error;
            span.setAttribute('burnish.cancelled', true);
            return { cancelled: error };
          }
        },
      );
      if ('cancelled' in outcome) throw outcome.cancelled;
      return outcome.result;
    },
  };
}
