import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { FAILURES } from '../../../src/domain/failures.ts';
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

describe('a malformed HTTP request', () => {
  const raw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(gateway.gateway.port, '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString())).on('close', () => resolve(answer));
      socket.on('error', reject).write(text);
    });

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
      remedy: FAILURES.BAD_USER_INPUT.remedy,
    });
  });
});
