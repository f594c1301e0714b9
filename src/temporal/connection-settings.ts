import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { StartupError } from '../domain/startup-error.ts';

export interface ConnectionSettings {
  /** host:port */
  address: string;
  namespace: string;
  options: NativeConnectionOptions;
}

/**
 * Reads `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, `TEMPORAL_API_KEY`, `TEMPORAL_TLS_*` and `TEMPORAL_GRPC_META_*`
 * like all of Temporal's tools. A configuration file is used only if `TEMPORAL_CONFIG_FILE` or `TEMPORAL_PROFILE` is
 * set. Otherwise the profile of a local CLI could turn an embedded start into one on a remote cluster.
 *
 * @returns undefined without an address: the embedded server is used
 * @throws StartupError when the settings cannot be read
 */
export function connectionSettings(env: NodeJS.ProcessEnv): ConnectionSettings | undefined {
  const disableFile = env['TEMPORAL_CONFIG_FILE'] === undefined && env['TEMPORAL_PROFILE'] === undefined;
  const overrideEnvVars = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
  let config;
  try {
    config = loadClientConnectConfig({ overrideEnvVars, disableFile });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartupError(`The TEMPORAL_* settings cannot be read: ${reason}`, { cause });
  }
  const { address } = config.connectionOptions;
  if (address === undefined) return undefined;
  return { address, namespace: config.namespace ?? 'default', options: config.connectionOptions };
}

/** Requests to a server on this machine are not compressed, which would cost both sides more than it saves. */
export function embeddedSettings(server: { address: string; namespace: string }): ConnectionSettings {
  return { ...server, options: { address: server.address, grpcCompression: { codec: 'none' } } };
}
