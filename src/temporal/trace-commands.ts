import type { Headers } from '@temporalio/common';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { withTraceHeader } from '../domain/temporal/trace-header.ts';
import { currentTraceHeaders, inSpan } from '../tracing/span.ts';

/** Adds the current span to the headers of a command. Workflows copy it to their activities. */
function traced(headers: Headers): Headers {
  const current = currentTraceHeaders();
  return Object.keys(current).length === 0 ? headers : withTraceHeader(headers, current);
}

/** A span of a command to Temporal, with the names of Temporal's own interceptors. */
const command = <T>(name: string, workflowId: string, send: () => Promise<T>): Promise<T> =>
  inSpan(name, { kind: 'CLIENT', attributes: { temporalWorkflowID: workflowId } }, send);

/** Makes the span of a request the parent of the activities that its commands cause. */
export const traceCommands: WorkflowClientInterceptor = {
  startWithDetails: (input, next) =>
    command(`StartWorkflow:${input.workflowType}`, input.options.workflowId, () =>
      next({ ...input, headers: traced(input.headers) }),
    ),
  signal: (input, next) =>
    command(`SignalWorkflow:${input.signalName}`, input.workflowExecution.workflowId ?? '', () => next(input)),
  signalWithStart: (input, next) =>
    command(`SignalWithStartWorkflow:${input.workflowType}`, input.options.workflowId, () =>
      next({ ...input, headers: traced(input.headers) }),
    ),
  startUpdate: (input, next) =>
    command(`StartWorkflowUpdate:${input.updateName}`, input.workflowExecution.workflowId ?? '', () =>
      next({ ...input, headers: traced(input.headers) }),
    ),
  startUpdateWithStart: (input, next) =>
    command(`UpdateWithStartWorkflow:${input.updateName}`, input.workflowStartOptions.workflowId, () =>
      next({
        ...input,
        workflowStartHeaders: traced(input.workflowStartHeaders),
        updateHeaders: traced(input.updateHeaders),
      }),
    ),
};
