import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { StartupError } from '../domain/startup-error.ts';
import type { ConnectionSettings } from './connection-settings.ts';

export interface ConnectOptions {
  /** Milliseconds of retries while the server does not respond; it may be starting too. */
  withinMs?: number;
  signal?: AbortSignal | undefined;
}

/** gRPC status codes, https://grpc.io/docs/guides/status-codes/ */
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

/**
 * Connects to Temporal and checks that the namespace is usable. The connection serves workers and, as `new Client({
 * connection, namespace })`, clients. The SDK passes a start directly to a worker of the same process only if both
 * share one connection.
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
      const refusal = explainRefusal(error, settings);
      if (refusal !== undefined) throw refusal;
      if (performance.now() > giveUpAt) {
        const sentence = `Temporal cannot be reached at ${settings.address}: check TEMPORAL_ADDRESS, the TEMPORAL_TLS settings and that the server runs.`;
        throw new StartupError(sentence, { cause: error });
      }
      await delay(500);
    }
  }
}

async function connectOnce({ options, namespace }: ConnectionSettings): Promise<NativeConnection> {
  const connection = await NativeConnection.connect(options);
  try {
    const ask = (): Promise<unknown> => connection.workflowService.describeNamespace({ namespace });
    await connection.withDeadline(Date.now() + 10_000, ask);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Describes an error that retries cannot fix. */
function explainRefusal(error: unknown, { address, namespace }: ConnectionSettings): StartupError | undefined {
  if (!isGrpcServiceError(error)) return undefined;
  const code: number = error.code;
  if (code === NOT_FOUND) {
    return new StartupError(
      `Temporal at ${address} has no namespace "${namespace}": create it or set TEMPORAL_NAMESPACE.`,
    );
  }
  if (code === PERMISSION_DENIED || code === UNAUTHENTICATED) {
    return new StartupError(
      `Temporal at ${address} refuses access to namespace "${namespace}": check TEMPORAL_API_KEY or the client certificate.`,
    );
  }
  return undefined;
}
