import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Logger } from 'pino';
import { Failure } from '@burnish/contract';
import { StartupError } from '../../domain/startup-error.ts';
import { healthOperations, type Readiness } from '../health/health-operations.ts';
import { answerHalfClosed } from '../http/half-closed.ts';
import { oneHost } from '../http/one-host.ts';
import { problemHandler } from '../http/problem.ts';
import { requestContext } from '../http/request-context.ts';
import { createRoutes } from '../rest/routes.ts';
import { isLoopback, metricsOperations, type MetricsDeps } from './metrics-operations.ts';

/** Maximum number of connections; metrics have only one or two readers. */
const MAX_CONNECTIONS = 20;
const TIMEOUT_MS = 10_000;

export interface MetricsServer {
  port: number;
  close(): Promise<void>;
}

/**
 * Serves metrics and health on a separate address. Without a token, the metrics are for this machine alone, so an address of
 * a network shows none.
 * @param deps.ready whether this process can do its part
 * @param deps.token bearer token of the readers; null for none
 * @param deps.failing one sentence while this process cannot serve
 * @param options.port 0 picks a free one
 * @throws StartupError with one sentence when it cannot listen on the address
 */
export async function startMetricsServer(
  deps: Omit<MetricsDeps, 'readers'> & {
    token: string | null;
    log: Logger;
    ready: () => Promise<Readiness>;
    failing?: () => string | undefined;
  },
  { host, port }: { host: string; port: number },
): Promise<MetricsServer> {
  const app = express().disable('x-powered-by').set('query parser', false).set('etag', false);
  const readers = deps.token !== null ? { token: deps.token } : isLoopback(host) ? 'local' : 'none';
  app.use(
    requestContext(deps.log),
    oneHost,
    createRoutes(metricsOperations, { metrics: { ...deps, readers } }),
    createRoutes(healthOperations, deps),
  );
  app.use(() => {
    throw new Failure('NOT_FOUND', {
      detail: 'No operation has this path. Use /metrics, /healthz or /readyz.',
    });
  });
  app.use(problemHandler);
  const server = createServer({ requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS }, app);
  answerHalfClosed(server);
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new StartupError(
          `The metrics cannot listen on ${host}:${port}; choose another BURNISH_METRICS_PORT or BURNISH_METRICS_HOST.`,
          { cause },
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
