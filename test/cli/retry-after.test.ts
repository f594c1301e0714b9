import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { callJson } from '../../src/cli/client/call.ts';

const servers: { close(): void }[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

/** An instance that is away at the first call, with this `Retry-After`. */
async function awayOnce(retryAfter: string) {
  let calls = 0;
  const server = createServer((_req, res) => {
    calls += 1;
    if (calls === 1) res.writeHead(503, { 'retry-after': retryAfter }).end('{"detail":"Storage is away."}');
    else res.writeHead(200, { 'content-type': 'application/json' }).end('{"remaining":7}');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { instance: { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'a-key-for-tests-only' }, calls: () => calls };
}

test.each([
  ['seconds', '0'],
  ['a date', 'Tue, 01 Jan 2019 11:00:00 GMT'],
])('the client repeats a call after a Retry-After in %s', async (_form, header) => {
  const { instance, calls } = await awayOnce(header);
  expect(await callJson(instance, '/v1/credits')).toEqual({ remaining: 7 });
  expect(calls()).toBe(2);
});

test.each(['', '-1', 'soon', '61'])('the client does not repeat a call after Retry-After %j', async (header) => {
  const { instance, calls } = await awayOnce(header);
  await expect(callJson(instance, '/v1/credits')).rejects.toThrow('Storage is away.');
  expect(calls()).toBe(1);
});
