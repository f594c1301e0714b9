import { Registry, type Metric, type OpenMetricsContentType, openMetricsContentType } from 'prom-client';
import { Failure } from '../../domain/failures.ts';
import { sendProblem } from '../http/problem.ts';
import { openOperation } from '../rest/operation.ts';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';

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

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Headers that proxies add to a forwarded request. */
const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'];

/**
 * Whether a request may read the metrics. With a token, it must be the bearer token. Without one, only a program on
 * this machine may read them, with a host name of this machine. A proxy on this machine sends another host name or
 * proxy headers.
 */
function mayReadMetrics(req: Pick<IncomingMessage, 'headers' | 'socket'>, token: string | null): boolean {
  if (token !== null) return isSame(req.headers.authorization ?? '', `Bearer ${token}`);
  if (PROXY_HEADERS.some((name) => req.headers[name] !== undefined)) return false;
  return isLoopback(req.socket.remoteAddress ?? '') && isLocalName(req.headers.host ?? '');
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function isLocalName(host: string): boolean {
  const hostname = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

function isLoopback(address: string): boolean {
  return LOOPBACK.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}
