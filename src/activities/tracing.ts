import type { Context } from '@temporalio/activity';
import { CancelledFailure, defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { TRACE_HEADER } from '../domain/temporal/workflow-interface.ts';
import { inSpan, parentFrom } from '../tracing/span.ts';

/**
 * A span for each attempt of an activity, under the command that caused it. Activities of workflows from before tracing have none.
 */
export function traceInterceptor({ info }: Pick<Context, 'info'>): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const parent = readTrace(input.headers[TRACE_HEADER]);
      if (parent === undefined) return next(input);
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
        { kind: 'CONSUMER', attributes, parent },
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

/** Anyone with access to Temporal can send a header, so an unreadable one counts as absent. */
function readTrace(payload: Payload | undefined): ReturnType<typeof parentFrom> | undefined {
  if (payload === undefined) return undefined;
  try {
    const headers: unknown = defaultPayloadConverter.fromPayload(payload);
    return typeof headers === 'object' && headers !== null ? parentFrom(headers) : undefined;
  } catch {
    return undefined;
  }
}
