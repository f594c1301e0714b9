import { Router } from 'express';
import type { Registry } from 'prom-client';
import { Failure } from '../../domain/failures.ts';
import { sendProblem } from '../http/problem.ts';
import { mayReadMetrics } from './access.ts';

export interface MetricsDeps {
  registry: Registry;
  /** What whoever reads them has to bear; null: they are for programs on this machine */
  token: string | null;
}

/** `GET /metrics`: everything in the registry as Prometheus reads it. */
export function metricsRoutes({ registry, token }: MetricsDeps): Router {
  const router = Router();
  router.get('/metrics', async (req, res) => {
    if (!mayReadMetrics(req, token)) {
      const detail =
        token === null
          ? 'Metrics are for programs on this machine; for others, set BURNISH_METRICS_TOKEN.'
          : 'Metrics need the bearer token of BURNISH_METRICS_TOKEN.';
      sendProblem(req, res, new Failure('UNAUTHENTICATED', { detail }), 403);
      return;
    }
    const text = await registry.metrics();
    res.set({ 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' }).send(text);
  });
  return router;
}
