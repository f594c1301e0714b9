import { Client } from '@temporalio/client';
import { type NativeConnection, Runtime, type RuntimeOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { TEMPORAL_UI_ENTRANCE } from '@burnish/contract';
import type { Config } from './config.ts';
import { SEARCH_ATTRIBUTE_NAMES } from '../domain/temporal/search-attributes.ts';
import { StartupError } from '../domain/startup-error.ts';
import { connectionSettings, embeddedSettings } from '../temporal/connection-settings.ts';
import { connectTemporal } from '../temporal/connection.ts';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../temporal/embedded-server.ts';
import { describeSearchAttribute, registerSearchAttributes } from '../temporal/search-attributes.ts';
import { createPayloadCodec, type InstanceCodec, createSealedClient } from '../temporal/payload-codec.ts';
import { claimablePort } from '../temporal/port.ts';
import { findStoredBinary, resolveServerBinary } from '../temporal/server-binary.ts';
import { hiddenUiHost, openUiProxy, UI_CODEC_ENDPOINT, type UiProxy } from '../temporal/ui-proxy.ts';
import type { InstanceSecrets } from '../database/instance-secrets.ts';
import type { PayloadKeys } from '../database/payload-keys.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { createPasses } from '../secrets/passes.ts';
import { notePayloadKeyUse } from './payload-key-use.ts';
import { HEARTBEAT_MS } from './worker-deployment.ts';

/** Pause between two lines about missing keys, milliseconds. */
const MISSING_KEY_LOG_MS = 60_000;

/** A connection that workers and clients share, so that a worker of this process can run a workflow start eagerly. */
export interface TemporalLink {
  connection: NativeConnection;
  client: Client;
  codec: InstanceCodec;
  namespace: string;
  /** Whether the server is the one of this process, and not an external one */
  isEmbedded: boolean;
  /** URL of the embedded Web UI; undefined for an external server */
  uiUrl: string | undefined;
  close(): Promise<void>;
}

export interface LinkOptions {
  config: Config;
  environment: NodeJS.ProcessEnv;
  report: (sentence: string) => void;
  log: Logger;
  signal?: AbortSignal | undefined;
  keyRing: KeyRing;
  secrets: Pick<InstanceSecrets, 'payloadsEncryptedSince' | 'payloadsAreNotEncrypted'>;
  payloadKeys: PayloadKeys;
  /** Of `findProgram`; found later if absent */
  program?: string | undefined;
}

/** Path of the pinned program of the embedded server, unless it must be fetched first or is not used. Changes no data. */
export async function findProgram({
  config,
  environment: env,
}: Pick<LinkOptions, 'config' | 'environment'>): Promise<string | undefined> {
  if (config.temporalBinary !== null || connectionSettings(env) !== undefined) return undefined;
  return await findStoredBinary({ dataDir: config.dataDir, env });
}

export async function linkOrEmbedTemporal(options: LinkOptions): Promise<TemporalLink> {
  const settings = connectionSettings(options.environment);
  if (settings !== undefined) return link(settings, undefined, options);
  const proxy = await openProxy(options);
  try {
    return await linkEmbedded(proxy, options);
  } catch (error) {
    await proxy.close();
    throw error;
  }
}

/** The proxy to the Web UI of the embedded server, on its documented port. */
async function openProxy({ config, environment, keyRing }: LinkOptions): Promise<UiProxy> {
  const host = '127.0.0.1';
  const port = await claimablePort(host, config.temporalUiPort, 'BURNISH_TEMPORAL_UI_PORT');
  const passes = createPasses(keyRing.sealer('temporal ui'), Date.now);
  const entrance = `${config.publicUrl}${TEMPORAL_UI_ENTRANCE}`;
  const entry = { namespace: embeddedNamespace(environment), searchNames: config.searchNames };
  return openUiProxy({ host, port, passes, sealer: keyRing.sealer('payloads'), entrance, entry });
}

const embeddedNamespace = (env: NodeJS.ProcessEnv): string => env['TEMPORAL_NAMESPACE'] ?? 'default';

async function linkEmbedded(proxy: UiProxy, options: LinkOptions): Promise<TemporalLink> {
  const { config, environment: env, report, signal, log } = options;
  const { dataDir, temporalBinary } = config;
  const chosen = temporalBinary ?? undefined;
  const binary = options.program ?? (await resolveServerBinary({ dataDir, env, program: chosen, report, signal }));
  const server = await startEmbeddedTemporal({
    binary,
    dataDir,
    host: '127.0.0.1',
    port: config.temporalPort,
    uiHost: hiddenUiHost(),
    uiPort: 0,
    uiCodecEndpoint: UI_CODEC_ENDPOINT,
    namespace: embeddedNamespace(env),
    synchronous: config.temporalSynchronous,
    searchAttributes: SEARCH_ATTRIBUTE_NAMES.map(describeSearchAttribute),
    signal,
    report: (sentence) => log.error(sentence),
  });
  proxy.leadTo(server.uiUrl!);
  const stop = async (): Promise<void> => {
    await proxy.close();
    await server.stop();
  };
  try {
    return await link(embeddedSettings(server), { uiUrl: proxy.url, stop }, options);
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Connects to the server in `TEMPORAL_*`.
 * @throws StartupError without these settings: a separate gateway or worker needs a shared server
 */
export async function linkTemporal(options: LinkOptions): Promise<TemporalLink> {
  const settings = connectionSettings(options.environment);
  if (settings === undefined) {
    throw new StartupError('TEMPORAL_ADDRESS is not set: a separate gateway or worker needs a shared Temporal server.');
  }
  return link(settings, undefined, options);
}

/** Logs a missing key once a minute, because each retry of a workflow task meets it again. */
function missingKeyLog(log: Pick<Logger, 'error'>) {
  let next = -Infinity;
  return (encryptionKeyId: string, workflowId: string | undefined): void => {
    if (performance.now() < next) return;
    next = performance.now() + MISSING_KEY_LOG_MS;
    log.error(
      { encryptionKeyId, workflowId },
      'a workflow waits: its history is encrypted with a key that this process does not have; add the key to BURNISH_ENCRYPTION_KEY and restart',
    );
  };
}

async function link(
  settings: ReturnType<typeof embeddedSettings>,
  server: Pick<EmbeddedTemporal, 'uiUrl' | 'stop'> | undefined,
  { config, log, signal, keyRing, secrets, payloadKeys }: LinkOptions,
): Promise<TemporalLink> {
  const deployed = config.workerDeployment !== null;
  installRuntime(log, config.temporalMetricsAddress, deployed ? HEARTBEAT_MS : undefined);
  const connection = await connectTemporal(settings, { signal });
  const { namespace } = settings;
  let endNotes: () => Promise<void>;
  try {
    await registerSearchAttributes(connection, namespace, (sentence) => log.warn(sentence));
    const { workflow } = new Client({ connection, namespace });
    endNotes = await notePayloadKeyUse({ keyRing, payloadKeys, count: (query) => workflow.count(query), log });
  } catch (error) {
    // An open connection keeps the process alive.
    await connection.close();
    throw error;
  }
  const encrypt = config.payloadEncryption === 'on';
  if (!encrypt) await secrets.payloadsAreNotEncrypted();
  const encryptedSinceMs = encrypt ? await secrets.payloadsEncryptedSince() : 0;
  const codec = createPayloadCodec({
    sealer: keyRing.sealer('payloads'),
    encrypt,
    encryptedSinceMs,
    onMissingKey: missingKeyLog(log),
  });
  return {
    connection,
    client: createSealedClient({ connection, namespace, codec, eagerStart: !deployed }),
    codec,
    namespace,
    isEmbedded: server !== undefined,
    uiUrl: server?.uiUrl,
    async close() {
      await endNotes();
      await connection.close();
      await server?.stop();
    },
  };
}

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
