import { Runtime, type RuntimeOptions } from '@temporalio/worker';
import { StartupError } from '../domain/startup-error.ts';

type Metrics = NonNullable<NonNullable<RuntimeOptions['telemetryOptions']>['metrics']>;

type Say = (facts: object, message: string) => void;
/** The part of the log that the SDK uses. */
type RuntimeLog = Record<'warn' | 'error', Say>;

/**
 * Configures the SDK's runtime: it uses Burnish's log and ignores signals. Call it right before the connection. The runtime
 * keeps the process alive until its connection is closed, so an earlier failed start would never exit.
 * @param metricsAddress address of the SDK's own metrics, `host:port`; null: none
 * @param heartbeatMs interval at which workers report their tasks to the server; default: that of the SDK, a minute
 * @throws StartupError when the address is unavailable
 */
export function installRuntime(log: RuntimeLog, metricsAddress: string | null, heartbeatMs?: number): void {
  const options: RuntimeOptions = {
    shutdownSignals: [],
    ...(heartbeatMs === undefined ? {} : { workerHeartbeatInterval: heartbeatMs }),
    logger: {
      log: (level, message, meta) => (level === 'ERROR' ? log.error(meta ?? {}, message) : undefined),
      trace: () => undefined,
      debug: () => undefined,
      info: () => undefined,
      warn: (message, meta) => log.warn(meta ?? {}, message),
      error: (message, meta) => log.error(meta ?? {}, message),
    },
    telemetryOptions: {
      logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } },
      ...(metricsAddress === null ? {} : { metrics: prometheus(metricsAddress) }),
    },
  };
  try {
    Runtime.install(options);
  } catch (cause) {
    if (metricsAddress === null) throw cause;
    throw new StartupError(
      `The metrics of the Temporal SDK cannot listen on ${metricsAddress}. Change BURNISH_TEMPORAL_METRICS_ADDRESS.`,
      { cause },
    );
  }
}

/** Names and units in Prometheus style: `_total`, `_seconds`. */
function prometheus(bindAddress: string): Metrics {
  return { prometheus: { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true } };
}
