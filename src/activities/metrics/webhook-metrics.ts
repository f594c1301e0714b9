import { Histogram, type Registry } from 'prom-client';
import type { Deliveries } from '../../database/webhooks/deliveries.ts';

/** Seconds; a receiver has 15 to answer. */
const BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

export type WebhookMetrics = ReturnType<typeof createWebhookMetrics>;

/** Attempts to deliver webhooks, and how long receivers took to answer. */
export function createWebhookMetrics(registry: Registry) {
  return new Histogram({
    name: 'burnish_webhook_attempt_duration_seconds',
    help: 'Attempts to deliver webhooks by outcome: delivered, failed, gone (410, or the endpoint has been removed)',
    labelNames: ['outcome'] as const,
    buckets: BUCKETS,
    registers: [registry],
  });
}

/** The same log of deliveries; an attempt counts when it is entered, which happens once. */
export function measureDeliveries<D extends Pick<Deliveries, 'recordAttempt'>>(
  deliveries: D,
  metrics: WebhookMetrics,
): D {
  return {
    ...deliveries,
    async recordAttempt(...[deliveryId, attempt, next]: Parameters<Deliveries['recordAttempt']>) {
      const isNew = await deliveries.recordAttempt(deliveryId, attempt, next);
      if (isNew) metrics.observe({ outcome: attempt.outcome }, attempt.latencyMs / 1000);
      return isNew;
    },
  };
}
