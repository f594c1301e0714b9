import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { Burnish } from '../src/burnish.ts';
import { until } from '../../../test/support/until.ts';

const servers: { close(): void; closeAllConnections(): void }[] = [];
afterEach(() => servers.splice(0).forEach((server) => (server.closeAllConnections(), server.close())));

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

/** An instance with a finished enhancement, and these answers in turn to requests for its file or for a manifest. */
async function setUp(...answers: Answer[]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((req, res) => {
    const url = `http://127.0.0.1:${port}/files/enh_1/photo.jpg?token=x`;
    if (req.url === '/v1/enhancements/enh_1') return void res.end(JSON.stringify({ fullUrl: url, status: 'FINISHED' }));
    requests.push(req);
    answers[Math.min(requests.length, answers.length) - 1]!(req, res);
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { burnish: new Burnish({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key', maxRetries: 1 }), requests };
}

/** Sends this much, and loses the connection. */
const cutAfter =
  (part: string | Buffer, headers = {}): Answer =>
  (_req, res) =>
    void res.writeHead(200, headers).write(part, () => setTimeout(() => res.destroy(), 50));

const line = (key: string, state: string): string => `${JSON.stringify({ key, state })}\n`;

async function keysOf(items: AsyncIterable<{ key: string }>): Promise<string[]> {
  const keys = [];
  for await (const { key } of items) keys.push(key);
  return keys;
}

test('a manifest continues with the next input after lost connections, although states change', async () => {
  const { burnish, requests } = await setUp(
    cutAfter(`${line('a', 'RUNNING')}${line('b', 'RUNNING')}{"key":"c`),
    cutAfter(`${line('a', 'FINISHED')}${line('b', 'FINISHED')}${line('c', 'RUNNING')}`),
    (_req, res) => res.end(['a', 'b', 'c', 'd'].map((key) => line(key, 'FINISHED')).join('')),
  );
  expect(await keysOf(burnish.batches.manifest('bat_1'))).toEqual(['a', 'b', 'c', 'd']);
  expect(requests).toHaveLength(3);
});

test('a manifest that ends within a line is read on', async () => {
  const { burnish } = await setUp(
    (_req, res) => res.end(`${line('a', 'FINISHED')}{"key":`),
    (_req, res) => res.end(`${line('a', 'FINISHED')}${line('b', 'FINISHED')}`),
  );
  expect(await keysOf(burnish.batches.manifest('bat_1'))).toEqual(['a', 'b']);
});

test('a manifest whose connection is lost without progress ends with UNREACHABLE', async () => {
  const { burnish, requests } = await setUp(cutAfter(line('a', 'FINISHED')));
  await expect(keysOf(burnish.batches.manifest('bat_1'))).rejects.toMatchObject({
    name: 'BurnishError',
    code: 'UNREACHABLE',
  });
  expect(requests).toHaveLength(2);
});

test('a manifest of another service is an INVALID_RESPONSE', async () => {
  const { burnish, requests } = await setUp((_req, res) => res.end('<html>\n'));
  await expect(keysOf(burnish.batches.manifest('bat_1'))).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  expect(requests).toHaveLength(1);
});

const FILE = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n % 251));
const HEADERS = { etag: '"abc"', 'content-length': FILE.length, 'content-type': 'image/jpeg' };

/** Sends the rest of the file, or the part of it before a cut. */
const sendRest =
  (length = Infinity): Answer =>
  (req, res) => {
    const start = Number(/^bytes=(\d+)-$/.exec(req.headers.range!)![1]);
    res.writeHead(206, { 'content-range': `bytes ${start}-${FILE.length - 1}/${FILE.length}` });
    const part = FILE.subarray(start, start + length);
    res.write(part, () => (length === Infinity ? res.end() : setTimeout(() => res.destroy(), 50)));
  };

test('a download continues with the next byte after lost connections', async () => {
  const { burnish, requests } = await setUp(
    cutAfter(FILE.subarray(0, 100_000), HEADERS),
    sendRest(100_000),
    sendRest(50_000),
    sendRest(),
  );
  const response = await burnish.enhancements.download('enh_1');
  expect(response.headers.get('content-type')).toBe('image/jpeg');
  expect(Buffer.from(await response.arrayBuffer()).equals(FILE)).toBe(true);
  expect(requests.slice(1).map(({ headers }) => headers['if-range'])).toEqual(['"abc"', '"abc"', '"abc"']);
});

test('a download that is lost before its first byte starts again', async () => {
  const cut: Answer = (_req, res) => (
    res.writeHead(200, HEADERS).flushHeaders(),
    void setTimeout(() => res.destroy(), 50)
  );
  const { burnish } = await setUp(cut, sendRest());
  const response = await burnish.enhancements.download('enh_1');
  expect(Buffer.from(await response.arrayBuffer()).equals(FILE)).toBe(true);
});

test.each<[string, object, number]>([
  ['of other bytes by then', HEADERS, 2],
  ['without a version', { 'content-length': FILE.length }, 1],
  ['that a proxy compressed', { ...HEADERS, 'content-encoding': 'identity' }, 1],
])('a lost download %s ends with UNREACHABLE', async (_case, headers, expected) => {
  const { burnish, requests } = await setUp(cutAfter(FILE.subarray(0, 100_000), headers), (_req, res) => res.end(FILE));
  const response = await burnish.enhancements.download('enh_1');
  await expect(response.arrayBuffer()).rejects.toMatchObject({ name: 'BurnishError', code: 'UNREACHABLE' });
  expect(requests).toHaveLength(expected);
});

const silent: Answer = (_req, res) => void res.writeHead(200, HEADERS).write('first');

test('an abort ends a download and a manifest that receive nothing', async () => {
  const { burnish, requests } = await setUp(silent);
  const gone = new AbortController();
  const response = await burnish.enhancements.download('enh_1', { signal: gone.signal });
  const keys = keysOf(burnish.batches.manifest('bat_1', { signal: gone.signal }));
  const both = Promise.allSettled([response.arrayBuffer(), keys]);
  await until(() => (requests.length === 2 ? true : undefined));
  gone.abort(new Error('no longer needed'));
  for (const each of await both) expect(each).toMatchObject({ reason: { message: 'no longer needed' } });
});

test('the answer of any operation fails with UNREACHABLE where its connection is lost', async () => {
  const { burnish } = await setUp(cutAfter('key,state'));
  const response = await burnish.send('GET', '/v1/batches/bat_1/manifest', { query: { format: 'csv' } });
  await expect(response.text()).rejects.toMatchObject({ name: 'BurnishError', code: 'UNREACHABLE' });
});

test('a caller that needs no more bytes ends the connection', async () => {
  const { burnish, requests } = await setUp(silent);
  const { body } = await burnish.enhancements.download('enh_1');
  await body!.cancel();
  await until(() => requests[0]!.socket.destroyed || undefined);
});
