import { Runtime, type RuntimeOptions } from '@temporalio/worker';
import { StartupError } from '../domain/startup-error.ts';

type Metrics = NonNullable<NonNullable<RuntimeOptions['telemetryOptions']>['metrics']>;

type Say = (facts: object, message: string) => void;
/** The log of the process, as far as the SDK speaks through it. */
type RuntimeLog = Record<'warn' | 'error', Say>;

/**
 * The SDK speaks through our log, and leaves signals to us. Right before the connection, since the runtime keeps the process
 * alive until a connection that it had has been closed: a start that fails earlier would never end.
 * @param metricsAddress where the SDK serves metrics of its own, `host:port`; null: nowhere
 * @throws StartupError when that address cannot be listened on
 */
export function installRuntime(log: RuntimeLog, metricsAddress: string | null): void {
  const options: RuntimeOptions = {
    shutdownSignals: [],
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
      `The metrics of the Temporal SDK cannot listen on ${metricsAddress}; choose another BURNISH_TEMPORAL_METRICS_ADDRESS.`,
      { cause },
    );
  }
}

/** Names and units as Prometheus has them: `_total`, `_seconds`. */
function prometheus(bindAddress: string): Metrics {
  return { prometheus: { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true } };
}
