import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import { CONNECTION_LIMITS, limitConnections, type ConnectionLimitOptions } from './http/connection-limits.ts';
import type { GatewayDeps } from './deps.ts';
import { continueOnceRead } from './http/expect-continue.ts';
import { answerHalfClosed } from './http/half-closed.ts';
import { refuseUnreadable } from './http/unreadable-request.ts';
import { StartupError } from '../domain/startup-error.ts';

/**
 * Length of the accept queue, which the kernel caps at `net.core.somaxconn`. With Node.js's default of 511,
 * connections of a burst would retry after seconds.
 */
const BACKLOG = 4096;
/** Complete headers arrive within milliseconds; slower ones block a connection that others need. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Interval of the header timeout check: Node.js's default of 30 seconds would allow four times the timeout. */
const HEADERS_CHECK_MS = 1_000;
/** Time after which an idle connection is closed. */
const IDLE_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 65_000;
const IDLE_CHECK_MS = 50;

export interface ServerOptions {
  host: string;
  /** 0 picks a free port */
  port: number;
  /** Limits that differ from `CONNECTION_LIMITS` */
  connections?: Partial<ConnectionLimitOptions>;
  /** Timeout of headers, milliseconds */
  headersTimeoutMs?: number;
  /** Timeout of idle connections, milliseconds */
  idleTimeoutMs?: number;
}

export interface GatewayServer {
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
  { host, port, connections, headersTimeoutMs = HEADERS_TIMEOUT_MS, idleTimeoutMs = IDLE_TIMEOUT_MS }: ServerOptions,
): Promise<GatewayServer> {
  const closing = new AbortController();
  const app = createApp({ ...deps, closing: closing.signal });
  // The duration of a whole request is unlimited, since 1,000 MB over a slow line take hours; `limitSlowBodies` bounds
  // its pace.
  const server = createServer(
    {
      requestTimeout: 0,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: HEADERS_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    app,
  );
  refuseUnreadable(server);
  answerHalfClosed(server);
  continueOnceRead(server);
  // Behind a proxy all connections come from the proxy, which limits those of its clients.
  const perAddress = (deps.trustedProxies ?? 0) === 0;
  limitConnections(server, { ...CONNECTION_LIMITS, perAddress, ...connections });
  server.setTimeout(idleTimeoutMs);

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });

  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      const closed = new Promise((resolve) => server.close(resolve));
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

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use. Set BURNISH_PORT to another port.`,
    EACCES: `This user has no permission for port ${port} on ${host}. Set BURNISH_PORT to a port above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Set BURNISH_HOST to another address.`,
  };
  return new StartupError(
    sentences[error.code ?? ''] ??
      `The gateway cannot listen on ${host}:${port}. Set BURNISH_HOST or BURNISH_PORT to another one.`,
    {
      cause: error,
    },
  );
}
