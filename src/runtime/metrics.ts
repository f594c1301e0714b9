import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { createActivityMetrics, createEngineMetrics, createWebhookMetrics } from '../activities/metrics.ts';
import { createHttpMetrics } from '../api/metrics/http-metrics.ts';
import { ENGINE_VERSION } from '@burnish/engine/host';
import { BUILD } from './version.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Interval between two samples of the delay of the event loop, milliseconds. Each sample wakes an idle process, and the default of 10
 * needs most of its CPU time. The alert watches for half a second.
 */
const EVENT_LOOP_SAMPLE_MS = 50;

/** @param exemplars whether a reader that accepts OpenMetrics gets it, with the traces of measurements */
export function createMetrics({ exemplars = false } = {}) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  new Gauge({
    name: 'burnish_build_info',
    help: 'Always 1; the labels contain the version',
    labelNames: ['version', 'engine'] as const,
    registers: [registry],
  }).set({ version: BUILD, engine: ENGINE_VERSION }, 1);
  return {
    registry,
    exemplars,
    damage: new Counter({
      name: 'burnish_damaged_files_total',
      help: 'Files whose bytes do not match their record, found by reads of this process, by kind: original, other',
      labelNames: ['kind'] as const,
      registers: [registry],
    }),
    http: createHttpMetrics(registry),
    activities: createActivityMetrics(registry),
    engine: createEngineMetrics(registry),
    webhooks: createWebhookMetrics(registry),
  };
}
