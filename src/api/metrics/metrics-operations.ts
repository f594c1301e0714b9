import type { Registry } from 'prom-client';
import { Failure } from '../../domain/failures.ts';
import { sendProblem } from '../http/problem.ts';
import { openOperation } from '../rest/operation.ts';
import { mayReadMetrics } from './access.ts';
import { acceptsOpenMetrics, toOpenMetrics } from './open-metrics.ts';

export interface MetricsDeps {
  registry: Registry;
  /** Whether a reader that accepts OpenMetrics gets it, with the traces of measurements */
  exemplars: boolean;
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
    description:
      'Available from the same machine or, with a configured token, with this token in `Authorization`. With tracing, a client that accepts ' +
      '`application/openmetrics-text` gets this form, with traces as exemplars.',
    responses: {
      '200': {
        description: 'The metrics.',
        content: {
          'text/plain': { schema: { type: 'string' } },
          'application/openmetrics-text': { schema: { type: 'string' } },
        },
      },
    },
    refusals: { 403: 'The request comes from another machine, or its token is missing or wrong.' },
    async handle(req, res, { metrics: { registry, exemplars, token } }: { metrics: MetricsDeps }) {
      if (!mayReadMetrics(req, token)) {
        const detail =
          token === null
            ? 'Metrics are available only from this machine. Set BURNISH_METRICS_TOKEN for other readers.'
            : 'Metrics need the bearer token of BURNISH_METRICS_TOKEN in the header Authorization.';
        sendProblem(req, res, new Failure('UNAUTHENTICATED', { detail }), 403);
        return;
      }
      const shown = exemplars && acceptsOpenMetrics(req.headers.accept) ? toOpenMetrics(registry) : registry;
      const text = await shown.metrics();
      res.set({ 'Content-Type': shown.contentType, 'Cache-Control': 'no-store' }).send(text);
    },
  }),
];
