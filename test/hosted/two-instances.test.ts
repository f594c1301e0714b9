import { randomInt } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import type { EnhancementRepresentation } from '@burnish/contract';
import { photo } from '../e2e/files.ts';
import { callersSpan, pathOf, spanNamed, traceCollector } from '../e2e/trace-collector.ts';
import { until } from '../support/until.ts';
import { useBothSides } from './both-sides.ts';

const collector = await traceCollector();
afterAll(() => collector[Symbol.asyncDispose]());
const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
const sides = useBothSides(
  { ...traced, OTEL_SERVICE_NAME: 'near' },
  // It begins no trace by itself.
  { ...traced, OTEL_SERVICE_NAME: 'far', OTEL_TRACES_SAMPLER_ARG: '0' },
);

test('an upload is served by another instance, and its webhooks wake the first one', async () => {
  const order = { enhancements: [{ upscalingFactor: 'X2' }] };
  const { body: upload } = await sides.near.instance.api.upload(await photo(3), order);
  const settled = await sides.near.instance.api.settled(upload.id);
  expect(settled).toMatchObject({ status: 'UPLOAD_FINISHED', provider: 'HOSTED' });
  expect(settled.enhancements).toMatchObject([{ status: 'FINISHED', provider: 'HOSTED', width: 800, height: 600 }]);

  expect(sides.far.proxy.acted('CreateEnhancedImage')).toHaveLength(1);
  const { body: there } = await sides.far.instance.api.get<{ items: EnhancementRepresentation[] }>('/v1/enhancements');
  expect(there.items).toHaveLength(1);
  const finished = await until(() =>
    sides.near.webhooks
      .acted('Webhook')
      .find(({ body }) => body.includes('"FINISHED"') && body.includes(there.items[0]!.id)),
  );
  expect(finished.answered?.status).toBe(204);
  const [ours, theirs] = [await sides.near.instance.api.credits(), await sides.far.instance.api.credits()];
  expect([ours.used, ours.reserved]).toEqual([theirs.used, 0]);

  await sides.near.instance.api.call('POST', '/v1/uploads/delete', { body: { ids: [upload.id] } });
  await until(() => (sides.far.proxy.acted('DeleteUploads').length > 0 ? true : undefined));
});

test('the other instance continues the trace of an upload', async () => {
  const caller = callersSpan();
  const order = { enhancements: [{ upscalingFactor: 'X2' }] };
  const file = await photo(randomInt(1_000, 1_000_000));
  const { body: upload } = await sides.near.instance.api.upload(file, order, { traceparent: caller.traceparent });
  await sides.near.instance.api.settled(upload.id);
  const spans = await collector.traceOf(caller, 'engine enhance-image');
  expect(collector.services).toEqual(new Set(['near', 'far']));
  expect(pathOf(spanNamed(spans, 'engine enhance-image'), spans)).toEqual([
    'engine enhance-image',
    ...['RunActivity:enhance', 'StartWorkflowUpdate:requestEnhancements', 'POST /graphql'],
    ...['POST', 'RunActivity:beginRemoteEnhancement', 'StartWorkflow:upload', 'POST /v1/uploads', caller.spanId],
  ]);
});
