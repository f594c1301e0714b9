import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../src/api/http/logger.ts';
import { createDatabaseMetrics } from '../../src/api/metrics/database-metrics.ts';
import { createMetrics } from '../../src/runtime/metrics.ts';
import { repositoryRoot } from '../support/repository.ts';
import { expectNamed } from '../support/expect-named.ts';

const WORDS_OF_PROMQL = new Set(
  'sum min max count rate increase by or and vector histogram_quantile deriv time absent on ignoring'.split(' '),
);

/** Every name that can be asked for, with the labels that it has. */
const known = new Map<string, Set<string>>();
let expressions: string[];

beforeAll(async () => {
  const { registry } = createMetrics();
  const never = (): never => {
    throw new Error('Nothing is read here.');
  };
  createDatabaseMetrics(
    registry,
    { uploads: never, enhancements: never, credits: never },
    { now: Date.now, log: createLogger({ level: 'silent' }) },
  );
  known.set('up', new Set(['instance', 'job']));
  for (const metric of registry.getMetricsAsArray() as unknown as Metric[]) {
    // Prometheus itself adds the two that say where a line comes from.
    const labels = new Set([...metric.labelNames, 'instance', 'job']);
    if (metric.type !== 'histogram') known.set(metric.name, labels);
    else {
      for (const part of ['sum', 'count']) known.set(`${metric.name}_${part}`, labels);
      known.set(`${metric.name}_bucket`, new Set([...labels, 'le']));
    }
  }
  const dashboard = JSON.parse(await readFile(join(repositoryRoot, 'deploy/grafana/burnish.json'), 'utf8')) as object;
  expressions = expressionsOf(dashboard);
});

interface Metric {
  name: string;
  type: string;
  labelNames: string[];
}

function expressionsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'expr' && typeof each === 'string' ? [each] : expressionsOf(each),
  );
}

/** Metrics and labels that an expression names. */
function namesIn(expression: string): { metrics: string[]; labels: string[] } {
  const withoutTexts = expression.replace(/"[^"]*"/g, '""').replace(/\[[^\]]*\]/g, '');
  const selectors = [...withoutTexts.matchAll(/\{([^}]*)\}/g)].map(([, inside]) => inside!);
  const groups = [...withoutTexts.matchAll(/\b(?:by|on|ignoring) \(([^)]*)\)/g)].map(([, inside]) => inside!);
  const rest = withoutTexts.replace(/\{[^}]*\}/g, '').replace(/\b(by|on|ignoring) \([^)]*\)/g, '');
  const words = (text: string): string[] => text.match(/[a-zA-Z_]\w*/g) ?? [];
  return {
    metrics: words(rest).filter((word) => !WORDS_OF_PROMQL.has(word)),
    labels: [...selectors, ...groups].flatMap(words),
  };
}

function unknownIn(expression: string): string[] {
  const { metrics, labels } = namesIn(expression);
  return [
    ...metrics.filter((name) => !known.has(name)),
    ...labels.filter((label) => !metrics.every((name) => known.get(name)?.has(label))),
  ];
}

describe('panels and alerts', () => {
  it('of the Grafana dashboard use only existing metrics and labels', () => {
    expect(expressions.length).toBeGreaterThan(15);
    for (const expression of expressions) expectNamed(unknownIn(expression), expression).toEqual([]);
  });

  it('with an unknown metric fail this test', () => {
    expect(unknownIn('sum by (route) (rate(burnish_http_request_duration_seconds_count[5m]))')).toEqual([]);
    expect(unknownIn('sum by (path) (rate(burnish_http_requests_total{method="GET"}[5m]))')).toEqual([
      'burnish_http_requests_total',
      'method',
      'path',
    ]);
    expect(unknownIn('burnish_uploads{state="x"}')).toEqual(['state']);
  });

  it('of the alerts use only existing metrics and labels', async () => {
    const rules = await readFile(join(repositoryRoot, 'deploy/prometheus/alerts.yml'), 'utf8');
    const alerts = [...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expression]) => expression!);
    expect(alerts.length).toBeGreaterThan(5);
    for (const expression of alerts) expectNamed(unknownIn(expression), expression).toEqual([]);
  });

  it('and the page about operations name existing metrics', async () => {
    const page = await readFile(join(repositoryRoot, 'docs/monitoring.md'), 'utf8');
    const named = [...page.matchAll(/`(burnish_\w+)/g)].map(([, name]) => name!);
    const histograms = [...known.keys()].map((name) => name.replace(/_(sum|count|bucket)$/, ''));
    expect(named.filter((name) => !known.has(name) && !histograms.includes(name))).toEqual([]);
  });
});
