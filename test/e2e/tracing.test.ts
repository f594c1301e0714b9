import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectNamed } from '../support/expect-named.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { until } from '../support/until.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { photo } from './files.ts';
import type { UploadRecord } from './api.ts';
import { freePorts, type Instance, type InstanceOptions, startInstance } from './instance.ts';
import { callersSpan, pathOf, spanNamed, type TraceCollector, traceCollector } from './trace-collector.ts';
import { type WebhookReceiver, webhookReceiver } from './webhook-receiver.ts';

/** Milliseconds; a start on a busy machine takes many seconds. */
const SEVERAL_STARTS = 180_000;

/** Packages of OpenTelemetry that a process loaded, by the coverage that it wrote at its end. */
async function loadedPackages(folder: string): Promise<string[]> {
  const packages = new Set<string>();
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), 'utf8');
    for (const [, found] of text.matchAll(/node_modules\/(@opentelemetry\/[^/"]+)/g)) packages.add(found!);
  }
  return [...packages].sort();
}

let coverage: TemporaryFolder;
let receiver: WebhookReceiver;
let collector: TraceCollector;
let folder: TemporaryFolder;
let shared: InstanceOptions;
let first: Instance;
/** The first one, started again after a kill of all its processes; it begins no trace by itself. */
let second: Instance;
/** A command to an upload, which outlives the kill. */
const two = callersSpan();

beforeAll(async () => {
  [folder, coverage] = await Promise.all([temporaryFolder(), temporaryFolder()]);
  [receiver, collector] = await Promise.all([webhookReceiver(), traceCollector()]);
  await copyMigratedDatabase(folder.path);
  shared = {
    dataDir: folder.path,
    ports: await freePorts(),
    env: {
      BURNISH_METRICS_TOKEN: METRICS_TOKEN,
      BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: 'burnish-of-the-test',
      NODE_V8_COVERAGE: coverage.path,
    },
  };
  first = await startInstance(shared);
});
afterAll(async () => {
  for (const each of [second, first, collector, receiver, coverage, folder]) await each?.[Symbol.asyncDispose]();
});

let upload: UploadRecord;

test(
  'An upload, an enhancement and an event are one trace under the traceparent of the caller.',
  async () => {
    const one = callersSpan();
    const order = { webhookUrl: `${receiver.url}/hook-with-a-token`, filename: 'private-name.jpg' };
    const sent = await first.api.upload(
      await photo(),
      { ...order, enhancements: [{ upscalingFactor: 'X2' }] },
      { traceparent: one.traceparent },
    );
    expect(sent.status).toBe(202);
    upload = await first.api.settled(sent.body.id);
    const delivered = await receiver.received(({ event }) => event === 'enhanced_image.status_update');
    const deliverySpan = delivered.headers.traceparent!.toString().split('-')[2]!;

    const activities = ['RunActivity:recordUpload', 'RunActivity:beginEnhancement'];
    const spans = await collector.traceOf(
      one,
      deliverySpan,
      'engine inspect-and-enhance-image',
      'step upscale',
      ...activities,
    );
    const start = ['StartWorkflow:upload', 'POST /v1/uploads', one.spanId];
    expect(pathOf(spanNamed(spans, 'engine inspect-and-enhance-image'), spans)).toEqual([
      'engine inspect-and-enhance-image',
      'RunActivity:inspectAndEnhance',
      ...start,
    ]);
    for (const name of activities) {
      expect(pathOf(spanNamed(spans, name), spans)).toEqual([name, ...start]);
    }
    expect(pathOf(spanNamed(spans, 'step upscale'), spans).slice(1, 3)).toEqual([
      'engine inspect-and-enhance-image',
      'RunActivity:inspectAndEnhance',
    ]);
    // The receiver can continue the trace.
    const delivery = spans.find(({ spanId }) => spanId === deliverySpan)!;
    expect(delivered.headers.traceparent).toBe(`00-${one.traceId}-${deliverySpan}-01`);
    expect(pathOf(delivery, spans)).toEqual(['POST', 'RunActivity:notifyReceivers', ...start]);
    const request = spanNamed(spans, 'POST /v1/uploads');
    expect(request.kind).toBe(2);
    expect(request.attributes).toContainEqual({
      key: 'burnish.request_id',
      value: { stringValue: sent.headers.get('x-request-id') },
    });
    expect(request.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 202 } });
    expect(collector.services).toEqual(new Set(['burnish-of-the-test']));
    const logged = first
      .stderr()
      .split('\n')
      .find((line) => line.includes(sent.headers.get('x-request-id')!));
    expect(JSON.parse(logged!)).toMatchObject({ trace_id: one.traceId, span_id: request.spanId });
  },
  SEVERAL_STARTS,
);

test(
  'A command to a running upload is a trace of its own, which goes on after a kill of all processes.',
  async () => {
    const asked = await first.api.call<{ enhancements: [{ id: string }] }>(
      'POST',
      `/v1/uploads/${upload.id}/enhancements`,
      {
        body: { enhancements: [{ upscalingFactor: 'X4', maxCredits: 0 }] },
        headers: { traceparent: two.traceparent },
      },
    );
    expect(asked.status).toBe(202);
    const { id } = asked.body.enhancements[0];
    await first.api.reached(id, 'AWAITING_APPROVAL');
    await collector.traceOf(two, 'POST /v1/uploads/{id}/enhancements');
    await first.killTree();

    second = await startInstance({
      ...shared,
      apiKey: first.apiKey,
      env: { ...shared.env, OTEL_TRACES_SAMPLER_ARG: '0' },
    });
    await second.api.call('POST', `/v1/enhancements/${id}/approve`);
    await second.api.reached(id, 'FINISHED');
    const later = await collector.traceOf(two, 'RunActivity:enhance');
    expect(pathOf(spanNamed(later, 'RunActivity:enhance'), later)).toEqual([
      'RunActivity:enhance',
      'StartWorkflowUpdate:requestEnhancements',
      'POST /v1/uploads/{id}/enhancements',
      two.spanId,
    ]);
  },
  SEVERAL_STARTS,
);

const METRICS_TOKEN = 'a-token-of-this-test';
const OPEN_METRICS = 'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;q=0.3,*/*;q=0.2';

/** The metrics for a reader that prefers OpenMetrics, as Prometheus does, and for one that does not know it. */
async function scrape(url: string): Promise<{ open: { type: string | null; text: string }; plain: string }> {
  const authorization = `Bearer ${METRICS_TOKEN}`;
  const [open, plain] = await Promise.all([
    fetch(`${url}/metrics`, { headers: { authorization, accept: OPEN_METRICS } }),
    fetch(`${url}/metrics`, { headers: { authorization } }),
  ]);
  expect(plain.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return { open: { type: open.headers.get('content-type'), text: await open.text() }, plain: await plain.text() };
}

/** Ids of the traces that a metric names, by its labels. */
const exemplarsOf = (text: string, metric: string): string[] =>
  text.split('\n').flatMap((line) => {
    const [measured, exemplar] = line.split(' # ');
    if (!measured!.startsWith(metric)) return [];
    return [...(exemplar ?? '').matchAll(/trace_id="([0-9a-f]{32})"/g)].map(([, id]) => id!);
  });

test(
  'Histograms of requests, activities and the engine name traces that the collector has, and no trace outside of the sample.',
  async () => {
    const three = callersSpan();
    const orders = { enhancements: [{ upscalingFactor: 'X2' }] };
    const sent = await second.api.upload(await photo(3), orders, { traceparent: three.traceparent });
    await second.api.settled(sent.body.id);
    const unsampled = await second.api.upload(await photo(2), orders);
    await second.api.settled(unsampled.body.id);

    const { open, plain } = await scrape(second.url);
    expect(open.type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(open.text.endsWith('\n# EOF\n')).toBe(true);
    for (const metric of [
      'burnish_http_request_duration_seconds_bucket',
      'burnish_activity_duration_seconds_bucket',
      'burnish_activity_schedule_to_start_seconds_bucket',
      'burnish_engine_task_duration_seconds_bucket',
      'burnish_engine_step_duration_seconds_bucket',
    ]) {
      const named = new Set(exemplarsOf(open.text, metric));
      // The command of before the kill was traced too.
      named.delete(two.traceId);
      expectNamed(named, metric).toEqual(new Set([three.traceId]));
    }
    const spanIds = [...open.text.matchAll(/span_id="([0-9a-f]{16})"/g)].map(([, id]) => id);
    await until(() => spanIds.every((id) => collector.spans.some(({ spanId }) => spanId === id)) || undefined);
    expect(plain).not.toContain('trace_id');
    expect(plain).toContain('# TYPE process_cpu_seconds_total counter');
  },
  SEVERAL_STARTS,
);

test(
  'No secret, no address and no name of a file leaves with a trace.',
  async () => {
    expect(await second.stop()).toBe(0);
    expect(await loadedPackages(coverage.path)).toContain('@opentelemetry/sdk-trace');
    const signed = new URL(upload.enhancements[0]!.fullUrl!);
    const secrets = {
      'the API key': first.apiKey,
      'the webhook secret': first.webhookSecret,
      'the path of the receiver': 'hook-with-a-token',
      'the name of the file': 'private-name',
      'a signed address': signed.searchParams.get('token')!,
    };
    for (const [secret, text] of Object.entries(secrets)) {
      expectNamed(text.length, secret).toBeGreaterThan(10);
      expectNamed(collector.text().includes(text), secret).toBe(false);
    }
  },
  SEVERAL_STARTS,
);

test(
  'Without a collector, a process loads no package of OpenTelemetry but its API, which prom-client loads.',
  async () => {
    await using coverage = await temporaryFolder();
    await using instance = await startInstance({
      env: { NODE_V8_COVERAGE: coverage.path, BURNISH_METRICS_TOKEN: METRICS_TOKEN },
    });
    const traceparent = callersSpan().traceparent;
    const { body } = await instance.api.upload(
      await photo(),
      { enhancements: [{ upscalingFactor: 'X2' }] },
      { traceparent },
    );
    await instance.api.settled(body.id);
    expect((await scrape(instance.url)).open.type).toMatch(/^text\/plain/);
    expect(await instance.stop()).toBe(0);
    expect(await loadedPackages(coverage.path)).toEqual(['@opentelemetry/api']);
    expect(instance.stderr()).not.toContain('trace_id');
  },
  SEVERAL_STARTS,
);
