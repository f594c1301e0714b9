import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { parseAllowedHosts } from '../../src/net/allowed-hosts.ts';
import { createSafeFetch } from '../../src/net/safe-fetch.ts';
import { currentTraceHeaders, inSpan, parentFrom } from '../../src/tracing/span.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(new TracerProvider());
});
afterAll(() => {
  for (const api of [context, propagation, trace]) api.disable();
});

test('a receiver gets the traceparent of a request, and not the tracestate of its caller', async () => {
  const received: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const safeFetch = createSafeFetch({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1') });
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const parent = parentFrom({ traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'internal=tenant-7' });
  try {
    const options = { body: '{}', headers: {}, timeoutMs: 10_000, maxAnswerBytes: 100 };
    await inSpan('request', { parent }, async () => {
      // Own systems of the operator, such as a collector, still get it.
      expect(currentTraceHeaders()).toMatchObject({ tracestate: 'internal=tenant-7' });
      await safeFetch.post(url, options);
      await safeFetch.exchange(url, { ...options, method: 'POST' } as never);
    });
    expect(received).toHaveLength(2);
    for (const headers of received) {
      expect(headers['traceparent']).toContain(traceId);
      expect(headers['tracestate']).toBeUndefined();
    }
  } finally {
    server.close();
  }
});
