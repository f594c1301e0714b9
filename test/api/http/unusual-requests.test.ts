import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { useGateway } from '../support/gateway.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);

describe('a method that a path does not support', () => {
  test.each([
    ['DELETE', '/v1/uploads', 'GET, HEAD, POST'],
    ['GET', '/v1/uploads/signed', 'POST'],
    ['GET', '/v1/uploads/delete', 'POST'],
    ['PUT', '/v1/settings', 'GET, HEAD, PATCH'],
    ['PATCH', `/v1/uploads/upl_${'1'.repeat(26)}`, 'DELETE, GET, HEAD'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['POST', '/uploads/x?token=y', 'OPTIONS, PUT'],
  ])('is refused: %s %s', async (method, path, allow) => {
    const response = await send(method, path);
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect(await response.json()).toMatchObject({ status: 405, code: 'BAD_USER_INPUT' });
  });

  test('is missing from the answer to OPTIONS, which lists the supported ones', async () => {
    const response = await send('OPTIONS', '/v1/api-keys', { key: null });
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST']);
  });
});

/** Everything that the gateway sends on a connection. @param end closes the caller's side after the text */
const raw = (text: string, { end = false } = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port: gateway.gateway.port, host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('end', () => resolve(answer)).on('end', () => socket.end());
    socket.on('error', reject);
    if (end) socket.end(text);
    else socket.write(text);
  });
const statuses = (answer: string): string[] => answer.match(/HTTP\/1\.1 \d+/g)!.map((line) => line.slice(9));

describe('a caller that closes its side after whole requests', () => {
  const ask = (path: string, more = '') =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${gateway.key}\r\n${more}\r\n`;

  test('gets all answers', async () => {
    expect(statuses(await raw(ask('/v1/settings') + ask('/v1/credits') + ask('/v1/none'), { end: true }))).toEqual([
      '200',
      '200',
      '404',
    ]);
  });

  test('gets the answer to its body', async () => {
    const body = '{"query":"{ credits { usedCreditsThisPeriod } }"}';
    const head = `POST /graphql HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${gateway.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    expect(await raw(head + body, { end: true })).toContain('"usedCreditsThisPeriod":');
  });

  test('gets its answer at once, although it prefers to wait for a minute', async () => {
    const body = '{"source":{"url":"https://example.com/photo.png"}}';
    const head = `POST /v1/uploads HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${gateway.key}\r\nPrefer: wait=60\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    expect(statuses(await raw(head + body, { end: true }))).toEqual(['202']);
  });

  test('ends an endless answer, and frees its place', async () => {
    // One more than a key may read at once.
    for (let index = 0; index < 21; index += 1)
      expect(statuses(await raw(ask('/v1/events', 'Accept: text/event-stream\r\n'), { end: true }))).toEqual(['200']);
  });
});

describe('a body that waits to be invited', () => {
  const head = (key: string, type: string, size: number): string =>
    `POST /v1/uploads HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: ${type}\r\nContent-Length: ${size}\r\nExpect: 100-continue\r\n\r\n`;
  /** The statuses of the answer to a head, then to a body that follows an invitation. */
  const converse = (text: string, body = ''): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const socket = connect(gateway.gateway.port, '127.0.0.1');
      let answer = '';
      socket.on('error', reject).write(text);
      socket.on('data', (chunk: Buffer) => {
        answer += chunk.toString();
        if (answer.endsWith(' 100 Continue\r\n\r\n')) socket.write(body);
        else {
          resolve(statuses(answer));
          socket.destroy();
        }
      });
    });

  test.each([
    ['without a good key', () => head('wrong', 'image/png', 9), '401'],
    ['of too many bytes', () => head(gateway.key, 'image/png', 3_000_000_000), '413'],
    ['of a form with too many bytes', () => head(gateway.key, 'multipart/form-data; boundary=x', 3_000_000_000), '413'],
    ['of another type', () => head(gateway.key, 'video/mp4', 9), '415'],
  ])('is refused instead: %s', async (_what, text, status) => {
    expect(await converse(text())).toEqual([status]);
  });

  test('is invited once its file is wanted', async () => {
    const body = 'not a picture';
    expect(await converse(head(gateway.key, 'image/png', body.length), body)).toEqual(['100', '415']);
  });
});

describe('a malformed HTTP request', () => {
  test.each([
    [
      'too long an address',
      `GET /v1/uploads?after=${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      'longer than 16 KB',
    ],
    [
      'too long a header',
      `GET /v1/uploads HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
      'longer than 16 KB',
    ],
    ['no HTTP', 'hello\r\n\r\n', 'not valid HTTP'],
    [
      'two hosts',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n',
      'no Host header, or several',
    ],
    [
      'no host in Host',
      'GET /healthz HTTP/1.1\r\nHost: x/y\r\nConnection: close\r\n\r\n',
      'no Host header, or several',
    ],
    [
      'two lengths',
      'POST /v1/uploads HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      'not valid HTTP',
    ],
  ])('is refused with its code: %s', async (_what, text, detail) => {
    const [head, body] = (await raw(text)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(head).toContain('application/problem+json');
    expect(JSON.parse(body!)).toMatchObject({
      status: 400,
      code: 'BAD_USER_INPUT',
      detail: expect.stringContaining(detail),
      remedy: expect.stringMatching(/^(Send|Use) /),
    });
  });
});
