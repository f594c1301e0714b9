import { defaultPayloadConverter, type Headers } from '@temporalio/common';

/** Headers of W3C Trace Context, `traceparent` and `tracestate`. */
export type TraceHeaders = Record<string, string>;

/** Header of starts, updates and activities. Temporal's own interceptors use the same name and form. */
const TRACE_HEADER = '_tracer-data';

/** Headers of Temporal with the context of a trace. */
export const withTraceHeader = (headers: Headers, trace: TraceHeaders): Headers => ({
  ...headers,
  [TRACE_HEADER]: defaultPayloadConverter.toPayload(trace),
});

/** The context of a trace. Anyone with access to Temporal can send a header, so an unreadable one counts as absent. */
export function readTraceHeader(headers: Headers): TraceHeaders | undefined {
  const payload = headers[TRACE_HEADER];
  if (payload === undefined) return undefined;
  try {
    const trace: unknown = defaultPayloadConverter.fromPayload(payload);
    return typeof trace === 'object' && trace !== null ? (trace as TraceHeaders) : undefined;
  } catch {
    return undefined;
  }
}
