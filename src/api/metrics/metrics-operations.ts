import type { Registry } from 'prom-client';
import { Failure } from '../../domain/failures.ts';
import { sendProblem } from '../http/problem.ts';
import { openOperation } from '../rest/operation.ts';
import { mayReadMetrics } from './access.ts';

export interface MetricsDeps {
  registry: Registry;
  /** Bearer token of the readers; null: only programs on this machine may read the metrics */
  token: string | null;
}

export const metricsOperations = [
  openOperation({
    operationId: 'getMetrics',
    method: 'get',
    path: '/metrics',
    tag: 'Health',
    summary: 'Read the metrics for Prometheus',
    description: 'Available from the same machine or, with a configured token, with this token in `Authorization`.',
    responses: { '200': { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } } },
    refusals: { 403: 'The request comes from another machine, or its token is missing or wrong.' },
    async handle(req, res, { metrics: { registry, token } }: { metrics: MetricsDeps }) {
      if (!mayReadMetrics(req, token)) {
        const detail =
          token === null
            ? 'Metrics are available only from this machine. Set BURNISH_METRICS_TOKEN for other readers.'
            : 'Metrics need the bearer token of BURNISH_METRICS_TOKEN in the header Authorization.';
        sendProblem(req, res, new Failure('UNAUTHENTICATED', { detail }), 403);
        return;
      }
      const text = await registry.metrics();
      res.set({ 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' }).send(text);
    },
  }),
];
