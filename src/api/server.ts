import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createApp } from './app.ts';
import { CONNECTION_LIMITS, limitConnections, type ConnectionLimits } from './http/limits.ts';
import type { GatewayDeps } from './deps.ts';
import { answerUnreadable } from './http/unreadable-request.ts';
import { listenMore } from './listeners.ts';
import { createAcceptQueue } from './trouble/admission.ts';
import { StartupError } from '../domain/startup-error.ts';

/** High enough to refuse a burst of uploads with a response instead of broken connections. */
const MAX_CONNECTIONS = 5000;
/** Length of the accept queue. With Node.js's default of 511, connections of a burst would retry after seconds. */
const BACKLOG = 4096;
/** Complete headers arrive within milliseconds; slower ones block a connection that others need. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Interval of the header timeout check: Node.js's default of 30 seconds would allow four times the timeout. */
const HEADERS_CHECK_MS = 1_000;
/** Time after which an idle connection is closed; a large file may take any time while its bytes arrive. */
const IDLE_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 65_000;
const IDLE_CHECK_MS = 50;

export interface ServerOptions {
  host: string;
  /** 0 picks a free port */
  port: number;
  /** Limits that differ from `CONNECTION_LIMITS` */
  connections?: Partial<ConnectionLimits>;
  /** Timeout of headers, milliseconds */
  headersTimeoutMs?: number;
}

export interface Gateway {
  /** The port of the server */
  port: number;
  /**
   * Accepts no new requests, ends event streams, and waits for pending responses.
   * @param graceMs time after which remaining requests are cut off
   */
  close(graceMs: number): Promise<void>;
}

/** Serves the gateway. @throws StartupError with one sentence when it cannot listen on the address */
export async function startGateway(
  deps: Omit<GatewayDeps, 'closing'>,
  { host, port, connections, headersTimeoutMs = HEADERS_TIMEOUT_MS }: ServerOptions,
): Promise<Gateway> {
  const closing = new AbortController();
  const acceptQueue = createAcceptQueue();
  const app = createApp({ ...deps, closing: closing.signal, acceptQueue });
  // The duration of a whole request is unlimited, since 1,000 MB over a slow line take hours; only idle time is
  // limited.
  const server = createServer(
    {
      requestTimeout: 0,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: HEADERS_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    app,
  );
  server.on('connection', () => acceptQueue.taken());
  server.on('clientError', answerUnreadable);
  // Behind a proxy all connections come from the proxy, which limits those of its clients.
  if ((deps.trustedProxies ?? 0) === 0) limitConnections(server, { ...CONNECTION_LIMITS, ...connections });
  boundConnections(server);
  server.setTimeout(IDLE_TIMEOUT_MS);

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
  const listeners = await listenMore(server, BACKLOG);

  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      const closed = Promise.all([...listeners, server].map((each) => new Promise((resolve) => each.close(resolve))));
      closing.abort();
      // A keep-alive connection becomes idle only after its response.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearInterval(idle);
      clearTimeout(cut);
    },
  };
}

/**
 * Limits the connections of all listeners together, since `maxConnections` of a server does not count those of its
 * other listeners.
 */
function boundConnections(server: Server): void {
  let open = 0;
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
    if (open > MAX_CONNECTIONS) socket.destroy();
  });
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use. Set BURNISH_PORT to another port.`,
    EACCES: `This user has no permission for port ${port} on ${host}. Set BURNISH_PORT to a port above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Set BURNISH_HOST to another address.`,
  };
  return new StartupError(sentences[error.code ?? ''] ?? `The gateway cannot listen on ${host}:${port}.`, {
    cause: error,
  });
}
