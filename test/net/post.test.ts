import { describe, expect, it } from '@jest/globals';
import { parseAllowedHosts } from '../../src/net/allowed-hosts.ts';
import { createSafeFetch, type PostOptions } from '../../src/net/safe-fetch.ts';
import { listenHttp, listenRaw } from '../support/local-server.ts';
import { poll } from '../support/poll.ts';

const NOW = Date.UTC(2030, 0, 1);
const fetch = createSafeFetch({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1'), now: () => NOW });
const OPTIONS: PostOptions = { body: '{"a":"é"}', headers: {}, timeoutMs: 20_000, maxAnswerBytes: 1000 };

describe('post', () => {
  it('sends body and headers unchanged and returns the answer', async () => {
    await using server = await listenHttp((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { 'webhook-id': id, 'content-type': type, 'content-length': length } = request.headers;
        response.writeHead(202).end([request.method, id, type, length, Buffer.concat(parts).toString()].join(' '));
      });
    });
    const headers = { 'webhook-id': 'evt_1', 'content-type': 'application/json' };
    const answer = await fetch.post(server.url, { ...OPTIONS, headers });
    expect(answer).toEqual({
      status: 202,
      answer: 'POST evt_1 application/json 10 {"a":"é"}',
      retryAfterMs: null,
      latencyMs: expect.any(Number),
    });
    expect(answer.latencyMs).toBeGreaterThanOrEqual(0);
    await poll(() => server.sockets.size).toBe(0);
  });

  it.each([301, 302, 307, 308])('does not follow redirect %d', async (status) => {
    let requests = 0;
    await using server = await listenHttp((_, response) => {
      requests += 1;
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect(await fetch.post(server.url, OPTIONS)).toMatchObject({ status });
    expect(requests).toBe(1);
  });

  it.each([200, 204, 400, 404, 410, 429, 500, 503])('returns status %d, whatever it means', async (status) => {
    await using server = await listenHttp((_, response) => response.writeHead(status).end());
    expect(await fetch.post(server.url, OPTIONS)).toMatchObject({ status, answer: '' });
  });

  it('reads the Retry-After of the receiver', async () => {
    await using server = await listenHttp((request, response) => {
      const wait = request.url === '/seconds' ? '30' : new Date(NOW + 60_000).toUTCString();
      response.writeHead(503, { 'retry-after': wait }).end();
    });
    expect(await fetch.post(`${server.url}/seconds`, OPTIONS)).toMatchObject({ retryAfterMs: 30_000 });
    expect(await fetch.post(`${server.url}/date`, OPTIONS)).toMatchObject({ retryAfterMs: 60_000 });
  });

  it('keeps the first bytes of an endless answer, without partial and control characters', async () => {
    await using server = await listenHttp((_, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write('\0é\x1b'.repeat(1000)));
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    });
    const { answer } = await fetch.post(server.url, { ...OPTIONS, maxAnswerBytes: 10 });
    expect(answer).toBe('éé');
    await poll(() => server.sockets.size).toBe(0);
  });

  it('returns a status whose body is incomplete or hangs', async () => {
    await using cut = await listenRaw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfine', (socket) => socket.end());
    expect(await fetch.post(cut.url, OPTIONS)).toMatchObject({ status: 200, answer: 'fine' });
    await using hanging = await listenRaw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfine');
    expect(await fetch.post(hanging.url, { ...OPTIONS, timeoutMs: 200 })).toMatchObject({
      status: 200,
      answer: 'fine',
    });
  });

  it('keeps nothing of a compressed answer', async () => {
    await using server = await listenHttp((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not really');
    });
    expect(await fetch.post(server.url, OPTIONS)).toMatchObject({ status: 200, answer: '' });
  });

  it('fails without an answer', async () => {
    await using silent = await listenRaw('');
    await expect(fetch.post(silent.url, { ...OPTIONS, timeoutMs: 100 })).rejects.toMatchObject({
      code: 'URL_FETCH_FAILED',
      message: 'The server did not answer in time.',
      retryable: true,
    });
  });

  it('refuses a private address, as written or by DNS', async () => {
    const strict = createSafeFetch({ allowedPrivateHosts: [], resolve: async () => ['169.254.169.254'] });
    for (const url of ['http://127.0.0.1:9/', 'http://metadata.example/', 'ftp://example.com/']) {
      await expect(strict.post(url, OPTIONS)).rejects.toMatchObject({ code: 'URL_NOT_ALLOWED', retryable: false });
    }
  });

  it('rejects with the reason of the caller when it is aborted', async () => {
    await using server = await listenHttp(() => undefined);
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const posting = fetch.post(server.url, { ...OPTIONS, signal: controller.signal });
    const aborting = poll(() => server.sockets.size)
      .toBe(1)
      .then(() => controller.abort(reason));
    await expect(posting).rejects.toBe(reason);
    await aborting;
  });
});
