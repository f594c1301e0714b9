import type { Client } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { SEARCH_ATTRIBUTE_NAMES } from '../domain/temporal/search-attributes.ts';
import { StartupError } from '../domain/startup-error.ts';
import { connectionSettings, embeddedSettings } from '../temporal/connection-settings.ts';
import { connectTemporal } from '../temporal/connection.ts';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../temporal/embedded-server.ts';
import { describeSearchAttribute, registerSearchAttributes } from '../temporal/search-attributes.ts';
import { createPayloadCodec } from '../temporal/payload-codec.ts';
import { createSealedClient } from '../temporal/sealed-client.ts';
import { resolveServerBinary } from '../temporal/server-binary.ts';
import type { InstanceSecrets } from '../database/instance-secrets.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { installRuntime } from './temporal-runtime.ts';

/** A connection that workers and clients share, so that a start can be handed straight to a worker of this process. */
export interface TemporalLink {
  connection: NativeConnection;
  client: Client;
  /** For workers */
  codec: PayloadCodec;
  namespace: string;
  /** Address of the Web UI where we run it */
  uiUrl: string | undefined;
  /** Settles when an embedded server has ended, asked or not; never for a server of someone else */
  ended: Promise<void>;
  close(): Promise<void>;
}

export interface LinkOptions {
  config: Config;
  environment: NodeJS.ProcessEnv;
  /** Told in sentences what takes a while */
  report: (sentence: string) => void;
  log: Logger;
  signal?: AbortSignal | undefined;
  keyRing: KeyRing;
  /** Keeps the moment from which payloads are encrypted */
  secrets: Pick<InstanceSecrets, 'payloadsEncryptedSince' | 'payloadsAreNotEncrypted'>;
}

/** The server that `TEMPORAL_*` names, or else an embedded one in the data folder. */
export async function linkOrEmbedTemporal(options: LinkOptions): Promise<TemporalLink> {
  const settings = connectionSettings(options.environment);
  if (settings !== undefined) return link(settings, undefined, options);
  const { config, environment: env, report, signal } = options;
  const binary = await resolveServerBinary({ dataDir: config.dataDir, env, report, signal });
  const server = await startEmbeddedTemporal({
    binary,
    dataDir: config.dataDir,
    host: '127.0.0.1',
    port: config.temporalPort,
    uiPort: config.temporalUiPort,
    namespace: env['TEMPORAL_NAMESPACE'] ?? 'default',
    synchronous: config.temporalSynchronous,
    searchAttributes: SEARCH_ATTRIBUTE_NAMES.map(describeSearchAttribute),
    signal,
  });
  try {
    return await link(embeddedSettings(server), server, options);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/**
 * The server that `TEMPORAL_*` names.
 * @throws StartupError when they name none: a gateway or a worker of its own has to share its server with others
 */
export async function linkTemporal(options: LinkOptions): Promise<TemporalLink> {
  const settings = connectionSettings(options.environment);
  if (settings === undefined) {
    throw new StartupError(
      'TEMPORAL_ADDRESS is not set: a gateway or worker on its own needs a Temporal server to meet the others at.',
    );
  }
  return link(settings, undefined, options);
}

async function link(
  settings: ReturnType<typeof embeddedSettings>,
  server: EmbeddedTemporal | undefined,
  { config, log, signal, keyRing, secrets }: LinkOptions,
): Promise<TemporalLink> {
  installRuntime(log, config.temporalMetricsAddress);
  const connection = await connectTemporal(settings, { signal });
  const { namespace } = settings;
  await registerSearchAttributes(connection, namespace, (sentence) => log.warn(sentence));
  // Off for the embedded server, so that people read everything in its Web UI without any setting there.
  const encrypt = (config.payloadEncryption ?? (server === undefined ? 'on' : 'off')) === 'on';
  if (!encrypt) await secrets.payloadsAreNotEncrypted();
  const encryptedSinceMs = encrypt ? await secrets.payloadsEncryptedSince() : 0;
  const codec = createPayloadCodec({ sealer: keyRing.sealer('payloads'), encrypt, encryptedSinceMs });
  return {
    connection,
    client: createSealedClient({ connection, namespace, codec, encrypt }),
    codec,
    namespace,
    uiUrl: server?.uiUrl,
    ended: server?.ended ?? new Promise(() => undefined),
    async close() {
      await connection.close();
      await server?.stop();
    },
  };
}
