import { request } from 'node:http';
import { Registry } from 'prom-client';
import { describe, expect, test } from '@jest/globals';
import { createWebhookMetrics, measureDeliveries } from '../../../src/activities/metrics.ts';
import type { Readiness } from '../../../src/api/health/health-operations.ts';
import { createLogger } from '../../../src/api/http/logger.ts';
import { createDatabaseMetrics } from '../../../src/api/metrics/database-metrics.ts';
import { toOpenMetrics } from '../../../src/api/metrics/metrics-operations.ts';
import { startMetricsServer } from '../../../src/api/metrics/metrics-server.ts';
import { createMetrics } from '../../../src/runtime/metrics.ts';
import { createStateCounts } from '../../../src/database/state-counts.ts';
import { METRICS_TOKEN, testGateway, type TestGateway, useGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { expectNamed } from '../../support/expect-named.ts';

const gateway = useGateway();

const silent = createLogger({ level: 'silent' });
const BEARER = `Bearer ${METRICS_TOKEN}`;

async function metricsOf({ fetch }: TestGateway = gateway): Promise<string> {
  const response = await fetch('/metrics', { key: null, headers: { authorization: BEARER } });
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  return response.text();
}

/** Lines of the measurements whose name and labels begin like this. */
const linesOf = (text: string, beginning: string): string[] =>
  text.split('\n').filter((line) => line.startsWith(beginning));

function valueOf(text: string, beginning: string): number {
  const [line] = linesOf(text, `${beginning} `);
  return Number(line?.split(' ').at(-1) ?? Number.NaN);
}

const READY: Readiness = { ready: true, problems: [] };

/** What a process serves at a port of its own. */
async function serverOf(token: string | null, readiness: Readiness = READY, host = '127.0.0.1') {
  const ready = () => Promise.resolve(readiness);
  const where = { host, port: 0 };
  const server = await startMetricsServer({ ...createMetrics(), token, log: silent, ready }, where);
  const [url, port] = [`http://127.0.0.1:${server.port}`, server.port];
  return { url, port, [Symbol.asyncDispose]: () => server.close() };
}

/** A request with headers that `fetch` keeps for itself. */
function statusFor(headers: Record<string, string>, url = gateway.url): Promise<number> {
  return new Promise((resolve, reject) => {
    request(`${url}/metrics`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .once('error', reject)
      .end();
  });
}

describe('the metrics of a gateway', () => {
  test('count requests by route and status, without ids and unknown paths', async () => {
    const { id } = await storedUpload(gateway);
    await (await gateway.fetch(`/v1/uploads/${id}`)).json();
    await (await gateway.fetch(`/v1/uploads/${id}`, { key: null })).json();
    await (await gateway.fetch('/v1/invented/by-a-stranger')).json();
    await (await gateway.fetch('/v1/uploads', { method: 'PUT' })).json();
    const text = await metricsOf();
    const counts = linesOf(text, 'burnish_http_request_duration_seconds_count');
    const expected = [
      ['GET', '/v1/uploads/{id}', 200],
      ['GET', '/v1/uploads/{id}', 401],
      ['GET', 'other', 404],
      ['PUT', '/v1/uploads', 405],
    ];
    for (const [method, route, status] of expected) {
      expect(counts).toContain(
        `burnish_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"} 1`,
      );
    }
    expect(text).not.toContain(id);
    expect(text).not.toContain('stranger');
  });

  test('report states, ages and credits from the database, over all accounts', async () => {
    const { records, account, clock } = gateway;
    const before = await metricsOf();
    const upload = await storedUpload(gateway);
    await storedUpload(gateway, {
      status: 'UPLOAD_PROCESSING',
      createdAt: new Date(Date.now() - 90_000).toISOString(),
    });
    await storedUpload(gateway, { status: 'UPLOAD_DELETED' });
    for (let n = 0; n < 2; n += 1) await storedEnhancement(gateway, upload, { status: 'QUEUED' });
    const movement = { accountId: account.id, enhancementId: 'enh_1', nowMs: Date.now() };
    await records.ledger.reserve({ ...movement, credits: 5 });
    await records.ledger.capture({ ...movement, credits: 3 });
    await records.ledger.reserve({ ...movement, enhancementId: 'enh_2', credits: 7 });
    // What was read before is served again for a moment.
    clock.aheadMs += 5_000;
    const text = await metricsOf();
    const risen = (line: string): number => valueOf(text, line) - valueOf(before, line);
    expect(risen('burnish_uploads{status="UPLOAD_FINISHED"}')).toBe(1);
    expect(risen('burnish_uploads{status="UPLOAD_PROCESSING"}')).toBe(1);
    expect(risen('burnish_enhancements{status="QUEUED"}')).toBe(2);
    expect(risen('burnish_credits{kind="reserved"}')).toBe(7);
    expect(risen('burnish_credits{kind="used"}')).toBe(3);
    expect(valueOf(text, 'burnish_credits{kind="granted"}')).toBe(100);
    expect(valueOf(text, 'burnish_enhancements{status="FINISHED"}')).toBe(0);
    expect(valueOf(text, 'burnish_database_up')).toBe(1);
    expect(valueOf(text, 'burnish_upload_oldest_age_seconds{status="UPLOAD_PENDING"}')).toBe(0);
    expect(valueOf(text, 'burnish_upload_oldest_age_seconds{status="UPLOAD_PROCESSING"}')).toBeGreaterThanOrEqual(95);
    expect(text).not.toContain('UPLOAD_DELETED');
  });

  test('query the database once for all gauges and all readers within seconds', async () => {
    const registry = new Registry();
    const real = createStateCounts(gateway.database);
    let [now, times] = [Date.now(), 0];
    const uploads = (): ReturnType<typeof real.uploads> => {
      times += 1;
      return real.uploads();
    };
    createDatabaseMetrics(registry, { ...real, uploads }, { now: () => now, log: silent });
    await Promise.all([registry.metrics(), registry.metrics()]);
    now += 4_999;
    await registry.metrics();
    expect(times).toBe(1);
    now += 1;
    await registry.metrics();
    expect(times).toBe(2);
  });

  test('can be read while the database is down, and report that', async () => {
    const { registry } = createMetrics();
    const real = createStateCounts(gateway.database);
    let [now, isDown] = [Date.now(), false];
    const uploads: typeof real.uploads = () => (isDown ? Promise.reject(new Error('down')) : real.uploads());
    createDatabaseMetrics(registry, { ...real, uploads }, { now: () => now, log: silent });
    expect(linesOf(await registry.metrics(), 'burnish_uploads{')).not.toEqual([]);
    [now, isDown] = [now + 5_000, true];
    const text = await registry.metrics();
    expect(text.split('\n')).toContain('burnish_database_up 0');
    expect(linesOf(text, 'burnish_uploads{')).toEqual([]);
    expect(linesOf(text, 'process_resident_memory_bytes')).toHaveLength(1);
  });
});

test('OpenMetrics has the same measurements as plain text, which keeps the names of its counters', async () => {
  const { registry, activities } = createMetrics();
  activities.failures.inc({ activity: 'enhance', code: 'INTERNAL' });
  activities.duration.observe({ activity: 'enhance', outcome: 'failed' }, 3);
  const counter = 'burnish_activity_failures_total{activity="enhance",code="INTERNAL"} 1';
  const bucket = 'burnish_activity_duration_seconds_bucket{le="5",activity="enhance",outcome="failed"} 1';
  for (const turn of ['first', 'second']) {
    const [open, plain] = [await toOpenMetrics(registry).metrics(), await registry.metrics()];
    expectNamed(open.split('\n'), turn).toEqual(
      expect.arrayContaining(['# TYPE burnish_activity_failures counter', counter, bucket, '# EOF']),
    );
    expectNamed(plain.split('\n'), turn).toEqual(
      expect.arrayContaining(['# TYPE burnish_activity_failures_total counter', counter, bucket]),
    );
  }
});

describe('access to metrics', () => {
  test('needs the token at the port of a gateway, also for programs of this machine', async () => {
    expect(await statusFor({})).toBe(401);
    for (const authorization of [`${BEARER}x`, METRICS_TOKEN, ''])
      expectNamed(await statusFor({ authorization }), authorization).toBe(401);
    const far = { 'x-forwarded-for': '203.0.113.7', host: 'burnish.example.com' };
    expect(await statusFor({ ...far, authorization: BEARER })).toBe(200);
  });

  // A proxy on the same host is a program of this machine, and `proxy_pass` alone adds no header.
  test('is not there at the port of a gateway without a token', async () => {
    await using untold = await testGateway({ metrics: { ...createMetrics(), readers: 'none' } });
    for (const headers of [{}, { host: 'localhost:3000' }, { authorization: BEARER }])
      expectNamed(await statusFor(headers, untold.url), JSON.stringify(headers)).toBe(404);
  });

  test('needs no token at a port of its own on the loopback, with a name of this machine', async () => {
    await using server = await serverOf(null);
    for (const host of ['localhost:9464', '[::1]:9464', '127.0.0.1'])
      expectNamed(await statusFor({ host }, server.url), host).toBe(200);
    for (const host of ['burnish.example.com', '127.0.0.1.example.com', 'localhost.example.com'])
      expectNamed(await statusFor({ host }, server.url), host).toBe(404);
    await using guarded = await serverOf(METRICS_TOKEN);
    expect(await statusFor({}, guarded.url)).toBe(401);
    expect(await statusFor({ authorization: BEARER }, guarded.url)).toBe(200);
  });

  test('is not there at a port of its own on a network without a token, but health is', async () => {
    await using server = await serverOf(null, READY, '0.0.0.0');
    expect(await statusFor({}, server.url)).toBe(404);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await using guarded = await serverOf(METRICS_TOKEN, READY, '0.0.0.0');
    expect(await statusFor({}, guarded.url)).toBe(401);
    expect(await statusFor({ authorization: BEARER }, guarded.url)).toBe(200);
  });

  test('without a token also covers the readiness of a worker', async () => {
    await using server = await serverOf(METRICS_TOKEN);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    const readiness = { ready: false, problems: ['Temporal does not respond.'] };
    await using cutOff = await serverOf(METRICS_TOKEN, readiness);
    expect((await fetch(`${cutOff.url}/healthz`)).status).toBe(200);
    const answer = await fetch(`${cutOff.url}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([503, readiness]);
  });

  test('is possible at a worker too, at an address with nothing else', async () => {
    await using server = await serverOf(null);
    expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('burnish_engine_task_duration_seconds');
    expect((await fetch(`${server.url}/v1/uploads`)).status).toBe(404);
    const where = { host: '127.0.0.1', port: server.port };
    const ready = () => Promise.resolve({ ready: true, problems: [] });
    const second = startMetricsServer({ ...createMetrics(), token: null, log: silent, ready }, where);
    await expect(second).rejects.toThrow(/choose another BURNISH_METRICS_PORT/);
  });
});

test('a delivery attempt counts once, when it is recorded', async () => {
  const registry = new Registry();
  const deliveries = measureDeliveries(gateway.records.deliveries, createWebhookMetrics(registry));
  const event = { id: 'evt_1', event: 'upload.deleted' as const, data: {}, created: new Date().toISOString() };
  const [delivery] = await deliveries.recordEvent(gateway.account.id, event, 'https://example.com/');
  const facts = { number: 1, at: event.created, httpStatus: 500, latencyMs: 700, answer: '', retryAfterMs: null };
  for (let n = 0; n < 2; n += 1) {
    const attempt = { ...facts, outcome: 'failed' as const };
    await deliveries.recordAttempt(delivery!.id, attempt, { status: 'PENDING', nextAttemptAt: event.created });
  }
  expect((await registry.metrics()).split('\n')).toEqual(
    expect.arrayContaining([
      'burnish_webhook_attempt_duration_seconds_count{outcome="failed"} 1',
      'burnish_webhook_attempt_duration_seconds_sum{outcome="failed"} 0.7',
    ]),
  );
});
