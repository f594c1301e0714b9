import { type Metric, type OpenMetricsContentType, openMetricsContentType, Registry } from 'prom-client';

/** Whether a reader names OpenMetrics among the forms that it accepts, as Prometheus does; `*` alone is not enough. */
export const acceptsOpenMetrics = (accept = ''): boolean => /\bapplication\/openmetrics-text\b/i.test(accept);

/**
 * The same measurements in the form OpenMetrics, which has exemplars. prom-client renames counters for this form, so the
 * new registry gets objects that inherit from the metrics.
 */
export function toOpenMetrics(registry: Registry): Registry<OpenMetricsContentType> {
  const open = new Registry<OpenMetricsContentType>();
  open.setContentType(openMetricsContentType);
  for (const metric of registry.getMetricsAsArray()) open.registerMetric(Object.create(metric) as Metric);
  return open;
}
