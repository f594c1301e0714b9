import { randomBytes } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { expectNamed } from '../support/expect-named.ts';
import { until } from '../support/until.ts';
import { listenHttp, type LocalServer } from '../support/local-server.ts';

/** A span as OTLP/HTTP sends it in JSON. */
export interface ExportedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** 1 internal, 2 server, 3 client, 5 consumer */
  kind: number;
  /** Nanoseconds since the epoch */
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code?: number };
}

export interface TraceCollector extends LocalServer {
  spans: ExportedSpan[];
  /** Names of the resources' services */
  services: Set<unknown>;
  /** All exports, as JSON */
  text(): string;
  /** The spans of a caller's trace, once it has each wanted one and all of that span's ancestors: a parent ends and is exported after its children. */
  traceOf(caller: CallersSpan, ...namesOrIds: string[]): Promise<ExportedSpan[]>;
}

interface Export {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: ExportedSpan[] }[];
  }[];
}

/** A collector of OpenTelemetry that keeps all that it receives. */
export async function traceCollector(): Promise<TraceCollector> {
  const exports: Export[] = [];
  const spans: ExportedSpan[] = [];
  const services = new Set<unknown>();
  const server = await listenHttp((req, res) => {
    void json(req).then((body) => {
      const sent = body as Export;
      exports.push(sent);
      for (const { resource, scopeSpans } of sent.resourceSpans) {
        services.add(resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue);
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
      res.writeHead(req.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
    });
  });
  return {
    ...server,
    spans,
    services,
    text: () => JSON.stringify(exports),
    traceOf: ({ traceId, spanId }, ...namesOrIds) =>
      until(() => {
        const trace = spans.filter((span) => span.traceId === traceId);
        const isWhole = namesOrIds.every((wanted) => {
          const found = trace.filter((span) => span.name === wanted || span.spanId === wanted);
          return found.length > 0 && found.every((span) => pathOf(span, trace).at(-1) === spanId);
        });
        return isWhole ? trace : undefined;
      }),
  };
}

/** Names from a span up to the first span of the trace that the collector has, and the id of the parent of that one. */
export function pathOf(span: ExportedSpan, spans: readonly ExportedSpan[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [span.name, ...(parent === undefined ? [span.parentSpanId ?? ''] : pathOf(parent, spans))];
}

/** A caller's span, and its header. */
export interface CallersSpan {
  traceId: string;
  spanId: string;
  traceparent: string;
}

export function callersSpan(): CallersSpan {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
}

/** The only span of a name. */
export function spanNamed(spans: readonly ExportedSpan[], name: string): ExportedSpan {
  const found = spans.filter((span) => span.name === name);
  expectNamed(found.length, name).toBe(1);
  return found[0]!;
}
