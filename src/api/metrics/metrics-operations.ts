import { Registry, type Metric, type OpenMetricsContentType, openMetricsContentType } from 'prom-client';
import { Failure } from '@burnish/contract';
import { openOperation } from '../rest/operation.ts';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

export interface MetricsDeps {
  registry: Registry;
  /** Whether a reader that accepts OpenMetrics gets it, with the traces of measurements */
  exemplars: boolean;
  readers: MetricsReaders;
}

/**
 * The readers of the metrics: programs with the bearer token, programs of this machine at a port of its own, or nobody. The
 * address of a caller proves nothing at a port that a proxy forwards to.
 */
export type MetricsReaders = { token: string } | 'local' | 'none';

export const metricsOperations = [
  openOperation({
    operationId: 'getMetrics',
    method: 'get',
    path: '/metrics',
    tag: 'Health',
    summary: 'Read the metrics for Prometheus',
    description:
      'Needs the bearer token of the setting `BURNISH_METRICS_TOKEN`; without the setting, this path answers 404. With tracing, a client that ' +
      'accepts `application/openmetrics-text` gets this form, with traces as exemplars.',
    responses: {
      '200': {
        description: 'The metrics.',
        content: {
          'text/plain': { schema: { type: 'string' } },
          'application/openmetrics-text': { schema: { type: 'string' } },
        },
      },
    },
    refusals: { 401: 'The token is missing or wrong.', 404: 'The instance has no token for metrics.' },
    async handle(req, res, { metrics: { registry, exemplars, readers } }: { metrics: MetricsDeps }) {
      assertReader(req, readers);
      const shown = exemplars && acceptsOpenMetrics(req.headers.accept) ? toOpenMetrics(registry) : registry;
      const text = await shown.metrics();
      res.set({ 'Content-Type': shown.contentType, 'Cache-Control': 'no-store' }).send(text);
    },
  }),
];

/** Whether a reader names OpenMetrics among the forms that it accepts, as Prometheus does; `*` alone is not enough. */
const acceptsOpenMetrics = (accept = ''): boolean => /\bapplication\/openmetrics-text\b/i.test(accept);

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

/** @throws Failure UNAUTHENTICATED without the token; NOT_FOUND where this address shows no metrics to the caller */
function assertReader({ headers }: Pick<IncomingMessage, 'headers'>, readers: MetricsReaders): void {
  if (typeof readers === 'object') {
    if (isSame(headers.authorization ?? '', `Bearer ${readers.token}`)) return;
    const detail = 'Metrics need the bearer token of BURNISH_METRICS_TOKEN in the header Authorization.';
    throw new Failure('UNAUTHENTICATED', { detail });
  }
  // A page in a browser of this machine sends its own host name, even if that name leads to this machine.
  if (readers === 'local' && isLocalHost(headers.host ?? '')) return;
  const detail =
    'This address shows no metrics. Set BURNISH_METRICS_TOKEN, or read them on this machine at BURNISH_METRICS_PORT.';
  throw new Failure('NOT_FOUND', { detail });
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function isLocalHost(host: string): boolean {
  const { hostname } = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : { hostname: '' };
  return isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only programs of this machine reach a name or an address. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (isIP(host) !== 0 && LOOPBACK.check(host, isIPv6(host) ? 'ipv6' : 'ipv4'));
