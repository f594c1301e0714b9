import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { parseAllowedHosts } from '../../src/net/allowed-hosts.ts';
import { createSafeFetch, type ExchangeOptions } from '../../src/net/safe-fetch.ts';
import { testPort } from '../support/test-port.ts';
import { listenHttp, listenRaw } from '../support/local-server.ts';

const fetch = createSafeFetch({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1') });
const OPTIONS: ExchangeOptions = { method: 'POST', body: '{}', headers: {}, timeoutMs: 20_000, maxAnswerBytes: 1_000 };
const broken = (sent: boolean, retryable = true) => ({
  kind: 'broken',
  sent,
  failure: { code: 'URL_FETCH_FAILED', retryable },
});

describe('exchange', () => {
  it('sends a stream with its length and returns the whole answer', async () => {
    await using server = await listenHttp((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { 'content-type': type, 'content-length': length, 'transfer-encoding': encoding } = request.headers;
        const body = Buffer.concat(parts).toString();
        response.writeHead(201, { 'retry-after': '3' }).end([request.method, type, length, encoding, body].join(' '));
      });
    });
    const body = Readable.from([Buffer.from('first '), Buffer.from('second')]);
    const headers = { 'content-type': 'image/png', 'content-length': '12' };
    expect(await fetch.exchange(server.url, { ...OPTIONS, method: 'PUT', body, headers })).toEqual({
      kind: 'answered',
      status: 201,
      answer: 'PUT image/png 12  first second',
      retryAfterMs: 3000,
    });
  });

  it('distinguishes an unsent request from a lost answer', async () => {
    const port = await testPort();
    expect(await fetch.exchange(`http://127.0.0.1:${port}`, OPTIONS)).toMatchObject(broken(false));
    await using dropping = await listenHttp((_, response) => void response.destroy());
    expect(await fetch.exchange(dropping.url, OPTIONS)).toMatchObject(broken(true));
    const unknown = createSafeFetch({ allowedPrivateHosts: [], resolve: async () => [] });
    expect(await unknown.exchange('http://nowhere.example', OPTIONS)).toMatchObject(broken(false));
  });

  it('treats an incomplete answer as missing', async () => {
    const half = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf of it';
    await using short = await listenRaw(half, (socket) => socket.end());
    expect(await fetch.exchange(short.url, OPTIONS)).toMatchObject(broken(true));
  });

  it('treats an answer that is too long as missing', async () => {
    await using long = await listenHttp((_, response) => response.end('x'.repeat(1_001)));
    expect(await fetch.exchange(long.url, OPTIONS)).toMatchObject(broken(true, false));
  });

  it('ends after its timeout and reports that the request may have arrived', async () => {
    await using silent = await listenHttp(() => undefined);
    expect(await fetch.exchange(silent.url, { ...OPTIONS, timeoutMs: 50 })).toMatchObject(broken(true));
  });

  it('refuses a forbidden address and destroys the given stream', async () => {
    const body = Readable.from([Buffer.from('secret')]);
    const closed = createSafeFetch({ allowedPrivateHosts: [] });
    expect(await closed.exchange('http://127.0.0.1:1', { ...OPTIONS, method: 'PUT', body })).toMatchObject({
      kind: 'broken',
      sent: false,
      failure: { code: 'URL_NOT_ALLOWED' },
    });
    expect(body.destroyed).toBe(true);
  });

  it('does not follow a redirect', async () => {
    let requests = 0;
    await using server = await listenHttp((_, response) => {
      requests += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await fetch.exchange(server.url, OPTIONS)).toMatchObject({ kind: 'answered', status: 307 });
    expect(requests).toBe(1);
  });

  it('rejects with the reason of its caller when it is aborted', async () => {
    await using silent = await listenHttp(() => undefined);
    const controller = new AbortController();
    const reason = new Error('enough');
    setTimeout(() => controller.abort(reason), 20);
    await expect(fetch.exchange(silent.url, { ...OPTIONS, signal: controller.signal })).rejects.toBe(reason);
  });
});
