import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createApp } from './app.ts';
import { CONNECTION_LIMITS, limitConnections, type ConnectionLimits } from './http/limits.ts';
import type { GatewayDeps } from './deps.ts';
import { answerUnreadable } from './http/unreadable-request.ts';
import { listenMore } from './listeners.ts';
import { createAcceptQueue } from './trouble/admission.ts';
import { StartupError } from '../domain/startup-error.ts';

/** So many that a burst of uploads is refused in words and not by a connection that breaks. */
const MAX_CONNECTIONS = 5000;
/** Connections that wait to be taken: with Node.js's own 511, those of a burst begin again after seconds. */
const BACKLOG = 4096;
/** Whole headers come within milliseconds; those that do not keep a place that others need. */
const HEADERS_TIMEOUT_MS = 10_000;
/** How often the time of headers is looked at: Node.js's own 30 seconds would let them take four times as long. */
const HEADERS_CHECK_MS = 1_000;
/** A connection on which nothing moves for this long is closed; a large file that keeps coming has all the time it needs. */
const IDLE_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 65_000;
const IDLE_CHECK_MS = 50;

export interface ServerOptions {
  host: string;
  /** 0 picks a free one */
  port: number;
  /** Bounds that differ from `CONNECTION_LIMITS` */
  connections?: Partial<ConnectionLimits>;
  /** Time that headers may take, milliseconds */
  headersTimeoutMs?: number;
}

export interface Gateway {
  /** The port that it listens on */
  port: number;
  /**
   * Takes no new requests, ends event streams, and waits for the answers under way.
   * @param graceMs what has not ended by then is cut off
   */
  close(graceMs: number): Promise<void>;
}

/** Serves the gateway. @throws StartupError with one sentence when the address cannot be listened on */
export async function startGateway(
  deps: Omit<GatewayDeps, 'closing'>,
  { host, port, connections, headersTimeoutMs = HEADERS_TIMEOUT_MS }: ServerOptions,
): Promise<Gateway> {
  const closing = new AbortController();
  const acceptQueue = createAcceptQueue();
  const app = createApp({ ...deps, closing: closing.signal, acceptQueue });
  // The time for a whole request is not bounded, since 1,000 MB over a slow line take hours; idleness is.
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
  // Behind a proxy all connections are the proxy's, and it bounds those of its clients.
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
      // A connection that is kept alive falls idle only once its answer is out.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearInterval(idle);
      clearTimeout(cut);
    },
  };
}

/** `maxConnections` of a server would not count the connections of its other listeners. */
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
    EADDRINUSE: `Port ${port} on ${host} is taken by another program; choose another one with BURNISH_PORT.`,
    EACCES: `Port ${port} on ${host} may not be used by this user; choose one above 1023 with BURNISH_PORT.`,
    EADDRNOTAVAIL: `This machine has no address ${host}; choose another one with BURNISH_HOST.`,
  };
  return new StartupError(sentences[error.code ?? ''] ?? `The gateway cannot listen on ${host}:${port}.`, {
    cause: error,
  });
}
