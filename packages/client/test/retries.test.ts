import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { Burnish } from '../src/burnish.ts';

const servers: { close(): void; closeAllConnections(): void }[] = [];
afterEach(() => servers.splice(0).forEach((server) => (server.closeAllConnections(), server.close())));

type Answer = (req: IncomingMessage, res: ServerResponse) => void;
const succeed: Answer = (_req, res) => res.writeHead(200).end('{"remaining":7}');
const refuse =
  (status: number, code: string, headers = {}): Answer =>
  (_req, res) =>
    res.writeHead(status, headers).end(JSON.stringify({ code, detail: 'Storage does not respond.' }));
const hangUp: Answer = (req) => req.socket.destroy();
const cutOff: Answer = (req, res) => {
  res.writeHead(200, { 'content-length': 100 }).write('{"remaining":', () => req.socket.destroy());
};

/** An instance that gives these answers in turn; the last one repeats. */
async function setUp(...answers: Answer[]) {
  const requests: { key: string | undefined; body: string }[] = [];
  const reply = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const answer = answers[Math.min(requests.length, answers.length - 1)]!;
    const key = req.headers['idempotency-key'] as string | undefined;
    requests.push({ key, body: answer === hangUp ? '' : await text(req) });
    answer(req, res);
  };
  const server = createServer((req, res) => void reply(req, res));
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { burnish: new Burnish({ baseUrl: `http://127.0.0.1:${port}/`, apiKey: 'key', maxRetries: 2 }), requests };
}

test.each([
  ['a Retry-After in seconds', refuse(503, 'UNAVAILABLE', { 'retry-after': '0' })],
  ['a Retry-After as a date', refuse(429, 'RATE_LIMITED', { 'retry-after': 'Tue, 01 Jan 2019 11:00:00 GMT' })],
  ['a temporary refusal without Retry-After', refuse(503, 'UNAVAILABLE', { 'retry-after': 'soon' })],
  ['a lost connection', hangUp],
  ['an answer that was cut off', cutOff],
])('the client repeats a call after %s', async (_case, first) => {
  const { burnish, requests } = await setUp(first, succeed);
  expect(await burnish.credits()).toEqual({ remaining: 7 });
  expect(requests).toHaveLength(2);
});

test.each([
  ['a long Retry-After', refuse(503, 'UNAVAILABLE', { 'retry-after': '61' }), 'UNAVAILABLE'],
  ['a refusal of the request', refuse(422, 'CORRUPT_FILE'), 'CORRUPT_FILE'],
  ['an error of the instance', refuse(500, 'INTERNAL'), 'INTERNAL'],
])('the client does not repeat a call after %s', async (_case, answer, code) => {
  const { burnish, requests } = await setUp(answer);
  await expect(burnish.credits()).rejects.toMatchObject({ code, message: 'Storage does not respond.' });
  expect(requests).toHaveLength(1);
});

test('the client does not repeat a call after an answer that is no JSON', async () => {
  const { burnish, requests } = await setUp((_req, res) => res.writeHead(200).end('<html>'));
  await expect(burnish.credits()).rejects.toMatchObject({ code: 'INVALID_RESPONSE', status: 200 });
  expect(requests).toHaveLength(1);
});

test('the client gives up after its retries with the last refusal', async () => {
  const { burnish, requests } = await setUp(refuse(503, 'UNAVAILABLE', { 'retry-after': '0' }));
  await expect(burnish.credits()).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503, retryAfterMs: 0 });
  expect(requests).toHaveLength(3);
});

test('the client sends a file again with the same idempotency key, and another file with another key', async () => {
  const { burnish, requests } = await setUp(hangUp, succeed);
  await burnish.uploads.create(new Blob(['first']), { filename: 'a.jpg' });
  await burnish.uploads.create(new Blob(['second']), { filename: 'b.jpg' });
  expect(requests.map(({ body }) => body)).toEqual(['', 'first', 'second']);
  const [first, again, other] = requests.map(({ key }) => key);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

test('the client does not send half of a stream again', async () => {
  const { burnish, requests } = await setUp(hangUp, succeed);
  const stream = new Blob(['bytes']).stream();
  await expect(burnish.uploads.create(stream, { filename: 'a.jpg' })).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect(requests).toHaveLength(1);
});

test('an abort ends the pause before a retry', async () => {
  const { burnish, requests } = await setUp(refuse(503, 'UNAVAILABLE', { 'retry-after': '30' }));
  const abort = new AbortController();
  const call = burnish.credits({ signal: abort.signal });
  while (requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  abort.abort(new Error('no longer needed'));
  await expect(call).rejects.toThrow('no longer needed');
});

test('a redirect does not carry the key to another host', async () => {
  const other = await setUp(succeed);
  const location = `${other.burnish.baseUrl}/v1/credits`;
  const { burnish } = await setUp((_req, res) => res.writeHead(307, { location }).end());
  await expect(burnish.credits()).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect(other.requests).toHaveLength(0);
});
