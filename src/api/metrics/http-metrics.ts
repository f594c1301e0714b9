import type { Request, RequestHandler, Response } from 'express';
import type { Registry } from 'prom-client';
import { inThisTrace } from '../../tracing/span.ts';
import { createTracedHistogram } from '../../tracing/traced-histogram.ts';
import type { FindRoute } from '../rest/routes.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Seconds; a large upload over a slow line takes minutes. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export type HttpMetrics = ReturnType<typeof createHttpMetrics>;

/** Counts requests and their duration in seconds, from the first byte of a request to the last byte of its response. */
export function createHttpMetrics(registry: Registry) {
  const durations = createTracedHistogram(registry, {
    name: 'burnish_http_request_duration_seconds',
    help: 'Requests by method, pattern of their address, and status; `aborted` where the caller left before the end',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: BUCKETS,
  });
  return {
    observe(request: { method: string; route: string; status: string; seconds: number }): void {
      const { route, status, seconds } = request;
      const method = METHODS.has(request.method) ? request.method : 'other';
      durations.observe({ method, route, status }, seconds);
    },
  };
}

export function measureRequests(metrics: HttpMetrics, routeOf: (path: string) => string): RequestHandler {
  return (req: Request, res: Response, next) => {
    const startedAt = performance.now();
    // A router may change these properties during the request.
    const { method, path } = req;
    const observe = (): void => {
      const status = res.writableFinished ? String(res.statusCode) : 'aborted';
      metrics.observe({ method, route: routeOf(path), status, seconds: (performance.now() - startedAt) / 1000 });
    };
    res.once('close', inThisTrace(observe));
    next();
  };
}

/** Paths outside of the REST interface's description, because they describe themselves or are for browsers. */
const OTHERS = ['/graphql', '/graphiql', '/session', '/docs', '/guide', '/openapi.json'];

/** The pattern of a path as a label: one of a fixed list, so that neither ids nor unknown paths become labels. */
export function routeLabel(findRoute: FindRoute): (path: string) => string {
  return (path) =>
    findRoute(path)?.path ?? OTHERS.find((each) => path === each || path.startsWith(`${each}/`)) ?? 'other';
}
