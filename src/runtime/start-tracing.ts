import type { Logger } from 'pino';
import { VERSION } from './version.ts';

/** Interval of exports, milliseconds. A killed process loses the spans since the last one. */
const EXPORT_EVERY_MS = 1_000;
/** Time for the last export at a shutdown, milliseconds. */
const LAST_EXPORT_MS = 3_000;

export interface Tracing {
  /** Exports the last spans. */
  close(): Promise<void>;
}

/**
 * Records spans and exports them to the collector of `OTEL_EXPORTER_OTLP_ENDPOINT`. The SDK of OpenTelemetry is loaded here only.
 * The exporter reads its other settings, such as `OTEL_EXPORTER_OTLP_HEADERS`, itself.
 * @param share share of new traces that are recorded, 0 to 1
 */
export async function startTracing(log: Pick<Logger, 'warn'>, share: number): Promise<Tracing> {
  const [api, { AsyncLocalStorageContextManager }, core, { OTLPTraceExporter }, resources, sdk] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/core'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
  ]);
  const silent = (): void => undefined;
  const tell = (message: string): void => log.warn({ detail: message.slice(0, 500) }, 'tracing: an export failed');
  api.diag.setLogger({ error: tell, warn: tell, info: silent, debug: silent, verbose: silent }, api.DiagLogLevel.WARN);
  const own = resources.resourceFromAttributes({ 'service.name': 'burnish', 'service.version': VERSION });
  const provider = new sdk.TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES overrule the own names.
    resource: own.merge(resources.detectResources({ detectors: [resources.envDetector] })),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(share) }),
    spanLimits: { attributeValueLengthLimit: 200 },
    spanProcessors: [
      new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: EXPORT_EVERY_MS }),
    ],
  });
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  api.trace.setGlobalTracerProvider(provider);
  return {
    async close() {
      const shutdown = provider.shutdown().catch((error: unknown) => tell(String(error)));
      await Promise.race([shutdown, new Promise((done) => setTimeout(done, LAST_EXPORT_MS).unref())]);
    },
  };
}
