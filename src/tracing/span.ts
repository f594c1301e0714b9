import {
  type Attributes,
  context,
  type Context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';

export interface SpanOptions {
  kind?: keyof typeof SpanKind;
  /** Never texts of callers or secrets: a collector keeps them for long, and other people read it */
  attributes?: Attributes;
  /** Default: the current span */
  parent?: Context;
}

const tracer = () => trace.getTracer('burnish');

/** Starts a span. Without `OTEL_EXPORTER_OTLP_ENDPOINT` it is not recorded, and costs almost nothing. */
export function startSpan(name: string, options: SpanOptions & { startTime?: number } = {}): Span {
  const { kind = 'INTERNAL', attributes = {}, parent = context.active(), startTime } = options;
  return tracer().startSpan(
    name,
    { kind: SpanKind[kind], attributes, ...(startTime === undefined ? {} : { startTime }) },
    parent,
  );
}

/** Runs work in a span, which ends with the work. */
export async function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const span = startSpan(name, options);
  try {
    return await runInTrace(span, options.parent ?? context.active(), () => work(span));
  } catch (error) {
    markFailed(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Makes a span the current one while work runs, and in all that the work starts. */
export const runInTrace = <T>(span: Span, parent: Context, work: () => T): T =>
  context.with(trace.setSpan(parent, span), work);

/** Marks a span as failed with the kind of the error only: messages and stacks may contain addresses, paths and SQL. */
export function markFailed(span: Span, error: unknown): void {
  const { code, type, name } = error as { code?: unknown; type?: unknown; name?: unknown };
  const kind = [code, type, name].find((each) => typeof each === 'string');
  span.setAttribute('error.type', String(kind ?? 'other').slice(0, 100));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Headers of W3C Trace Context that make the current span the parent of work elsewhere; empty without tracing. */
export function currentTraceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** The context of a caller. Invalid headers yield a context without a parent. */
export const parentFrom = (headers: object): Context => propagation.extract(ROOT_CONTEXT, headers);

/** Ids of the current span for log lines, by OpenTelemetry's names; empty without tracing. */
export function currentTraceIds(): { trace_id: string; span_id: string } | Record<string, never> {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

/** The same ids if the collector gets the trace; empty for a trace outside of the sample. */
export function sampledTraceIds(): ReturnType<typeof currentTraceIds> {
  const flags = trace.getActiveSpan()?.spanContext().traceFlags ?? TraceFlags.NONE;
  return (flags & TraceFlags.SAMPLED) === 0 ? {} : currentTraceIds();
}

export const currentSpan = (): Span | undefined => trace.getActiveSpan();

/** Runs a callback of an event emitter in the current trace. */
export const inThisTrace = <T extends (...args: never[]) => unknown>(callback: T): T =>
  context.bind(context.active(), callback);
