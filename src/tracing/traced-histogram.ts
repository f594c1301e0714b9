import { Histogram, type HistogramConfiguration, type LabelValues, type Registry } from 'prom-client';
import { sampledTraceIds } from './span.ts';

export interface TracedHistogram<L extends string> {
  observe(labels: LabelValues<L>, value: number): void;
}

/**
 * A histogram with exemplars: each bucket names the last recorded trace that it counts. Only the form OpenMetrics shows
 * them; see `toOpenMetrics`.
 */
export function createTracedHistogram<L extends string>(
  registry: Registry,
  configuration: Omit<HistogramConfiguration<L>, 'registers' | 'enableExemplars'>,
): TracedHistogram<L> {
  // prom-client refuses exemplars at the creation in a registry of plain text, which leaves them out.
  const histogram = new Histogram({ ...configuration, registers: [], enableExemplars: true });
  registry.registerMetric(histogram);
  return {
    // The declaration of prom-client knows only the labels of the histogram.
    observe: (labels, value) =>
      histogram.observe({ labels, value, exemplarLabels: sampledTraceIds() as typeof labels }),
  };
}
