import type { RequestHandler } from 'express';
import { runInTrace, markFailed, parentFrom, startSpan } from '../../tracing/span.ts';
import { getContext, PROBES } from './request-context.ts';

/**
 * A span for each request, under the `traceparent` of its caller. It contains no path, because paths can contain tokens.
 * @param routeOf the pattern of a path, one of a fixed list
 */
export function traceRequests(routeOf: (path: string) => string): RequestHandler {
  return (req, res, next) => {
    if (PROBES.has(req.path)) {
      next();
      return;
    }
    const [method, route] = [req.method, routeOf(req.path)];
    const attributes = { 'http.request.method': method, 'http.route': route };
    const parent = parentFrom(req.headers);
    const span = startSpan(`${method} ${route}`, { kind: 'SERVER', attributes, parent });
    res.once('close', () => {
      const { caller, failure } = getContext(res);
      span.setAttribute('http.response.status_code', res.statusCode);
      if (caller !== undefined) span.setAttribute('burnish.account_id', caller.account.id);
      if (!res.writableFinished) span.setAttribute('burnish.aborted', true);
      if (failure !== undefined && res.statusCode >= 500) markFailed(span, failure);
      span.end();
    });
    runInTrace(span, parent, next);
  };
}
