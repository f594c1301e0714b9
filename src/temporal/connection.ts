import { setTimeout as delay } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import { StartupError } from '../domain/startup-error.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { hasStatus, isAccessRefusal } from './grpc-status.ts';

export interface ConnectOptions {
  /** Milliseconds of retries while the server does not respond; it may be starting too. */
  withinMs?: number;
  signal?: AbortSignal | undefined;
}

/**
 * What the SDK says about a failed handshake, and the remedy. Its errors have no codes; a server that requires TLS or a
 * certificate only closes the connection.
 */
const HANDSHAKES: readonly [pattern: RegExp, remedy: string][] = [
  [
    /UnknownIssuer/,
    'its certificate is not trusted. Set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the certificate of its authority.',
  ],
  [
    /NotValidForName/,
    'its certificate is for another name. Set TEMPORAL_TLS_SERVER_NAME to the name in the certificate.',
  ],
  [/InvalidCertificate\(Expired/, 'its certificate has expired. Renew it at the server.'],
  [/KeyMismatch/, 'TEMPORAL_TLS_CLIENT_KEY_PATH is not the key of the certificate in TEMPORAL_TLS_CLIENT_CERT_PATH.'],
  [/does not have (permission|valid authentication)/, 'it refuses the API key. Set TEMPORAL_API_KEY to a valid one.'],
  [
    /hyper::Error|fatal alert|BrokenPipe|ConnectionReset/,
    'it closes the connection. If it requires TLS or a client certificate, check the TEMPORAL_TLS settings.',
  ],
];

/** A workflow that does not exist. A signal to it changes nothing, and shows whether commands are allowed. */
const ACCESS_CHECK = 'burnish-access-check';

/**
 * Connects to Temporal and checks that the namespace can be read and written. The connection serves workers and, as `new
 * Client({ connection, namespace })`, clients. The SDK passes a start directly to a worker of the same process only if
 * both share one connection.
 *
 * @throws StartupError naming the setting that is at fault
 */
export async function connectTemporal(
  settings: ConnectionSettings,
  { withinMs = 15_000, signal }: ConnectOptions = {},
): Promise<NativeConnection> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await connectOnce(settings);
    } catch (error) {
      if (error instanceof StartupError) throw error;
      if (performance.now() > giveUpAt) throw new StartupError(explainSilence(error, settings), { cause: error });
      await delay(500);
    }
  }
}

async function connectOnce(settings: ConnectionSettings): Promise<NativeConnection> {
  const connection = await NativeConnection.connect(settings.options);
  try {
    await connection.withDeadline(Date.now() + 10_000, () => checkAccess(connection, settings));
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function checkAccess(
  { workflowService }: NativeConnection,
  { address, namespace }: ConnectionSettings,
): Promise<void> {
  try {
    await workflowService.describeNamespace({ namespace });
  } catch (error) {
    if (hasStatus(error, 'NOT_FOUND'))
      throw new StartupError(
        `Temporal at ${address} has no namespace "${namespace}": create it or set TEMPORAL_NAMESPACE.`,
      );
    if (isAccessRefusal(error))
      throw new StartupError(
        `Temporal at ${address} refuses access to namespace "${namespace}": check TEMPORAL_API_KEY or the client certificate.`,
      );
    throw error;
  }
  try {
    const workflowExecution = { workflowId: ACCESS_CHECK };
    await workflowService.signalWorkflowExecution({ namespace, workflowExecution, signalName: ACCESS_CHECK });
  } catch (error) {
    if (hasStatus(error, 'NOT_FOUND')) return;
    if (isAccessRefusal(error))
      throw new StartupError(
        `Temporal at ${address} allows reads of namespace "${namespace}", but no commands: give the API key or the client certificate the role Write.`,
      );
    throw error;
  }
}

function explainSilence(error: unknown, { address }: ConnectionSettings): string {
  const said = String(error);
  const remedy = HANDSHAKES.find(([pattern]) => pattern.test(said))?.[1];
  return remedy === undefined
    ? `Temporal cannot be reached at ${address}: check TEMPORAL_ADDRESS, the TEMPORAL_TLS settings and that the server runs.`
    : `Temporal cannot be used at ${address}: ${remedy}`;
}
