import {
  CancellationScope,
  currentUpdateInfo,
  type WorkflowInboundCallsInterceptor,
  type WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';
import { readTraceHeader, type TraceHeaders, withTraceHeader } from '../domain/temporal/trace-header.ts';

// A workflow only copies the headers of a trace. It records no span, and draws no random ids.

type Headers = Parameters<NonNullable<WorkflowInboundCallsInterceptor['execute']>>[0]['headers'];

/** The trace of each scope that has its own; the scopes within it belong to the same trace */
const traces = new WeakMap<CancellationScope, TraceHeaders>();
/** The trace of each update of this run, by its id */
const updates = new Map<string, TraceHeaders>();

/** Makes activities of a scope part of a trace. @param trace undefined: that of the parent scope */
export function adoptTrace(scope: CancellationScope, trace: TraceHeaders | undefined): void {
  if (trace !== undefined) traces.set(scope, trace);
}

/** The trace of a scope itself, without that of its parents. */
export const findTrace = (scope: CancellationScope): TraceHeaders | undefined => traces.get(scope);

/** The trace of the current update; undefined outside of an update, or without a trace. */
export function traceOfUpdate(): TraceHeaders | undefined {
  const id = currentUpdateInfo()?.id;
  return id === undefined ? undefined : updates.get(id);
}

function currentTrace(): TraceHeaders | undefined {
  let scope: CancellationScope | undefined = CancellationScope.current();
  while (scope !== undefined && !traces.has(scope)) scope = scope.parent;
  return scope && traces.get(scope);
}

function withTrace<Input extends { headers: Headers }>(input: Input): Input {
  const trace = currentTrace();
  if (trace === undefined) return input;
  return { ...input, headers: withTraceHeader(input.headers, trace) };
}

// None of these functions awaits, so a trace changes neither the commands of a workflow nor their order.

export const traceInbound: WorkflowInboundCallsInterceptor = {
  execute(input, next) {
    adoptTrace(CancellationScope.current(), readTraceHeader(input.headers));
    return next(input);
  },
  handleUpdate(input, next) {
    const trace = readTraceHeader(input.headers);
    if (trace !== undefined) updates.set(input.updateId, trace);
    return next(input);
  },
};

export const traceOutbound: WorkflowOutboundCallsInterceptor = {
  scheduleActivity: (input, next) => next(withTrace(input)),
  scheduleLocalActivity: (input, next) => next(withTrace(input)),
  startChildWorkflowExecution: (input, next) => next(withTrace(input)),
  continueAsNew: (input, next) => next(withTrace(input)),
};
