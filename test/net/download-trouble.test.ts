import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { OPTIONS, failing, fetchAll, fetchAllowing } from './fetching.ts';
import { listen, listenHttp, listenRaw } from '../support/local-server.ts';
import { SELF_SIGNED } from './self-signed.ts';
import { poll } from '../support/poll.ts';

describe('a download in trouble', () => {
  it.each([
    ['never answers', {}, () => undefined, 'The server did not answer in time.'],
    ['never answers', { headersMs: 100 }, () => undefined, 'The server did not answer in time.'],
    ['stops in the body', { bodyIdleMs: 100 }, stall, 'The server stopped sending.'],
    ['drips its body', { bodyIdleMs: 1000 }, drip, 'The server did not answer in time.'],
  ] as const)('ends if the server %s (%o)', async (_, timeouts, then, detail) => {
    await using server = await listenRaw('', then);
    const fetch = fetchAllowing('127.0.0.1', { timeouts });
    const timeoutMs = detail === 'The server did not answer in time.' ? 300 : 20_000;
    await expect(fetchAll(fetch, server.url, { ...OPTIONS, timeoutMs })).rejects.toMatchObject(failing(detail, true));
    await poll(() => server.sockets.size).toBe(0);
  });

  it('ends if the server sends its headers too slowly', async () => {
    await using server = await listenRaw('HTTP/1.1 200 OK\r\n', (socket) => {
      const timer = setInterval(() => socket.write('x-a: b\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const slow = fetchAll(fetchAllowing('127.0.0.1'), server.url, { ...OPTIONS, timeoutMs: 300 });
    await expect(slow).rejects.toMatchObject({ code: 'URL_FETCH_FAILED', retryable: true });
  });

  it('waits for a DNS server no longer than its timeout', async () => {
    const fetch = fetchAllowing('', { resolve: () => new Promise(() => undefined) });
    await expect(fetchAll(fetch, 'http://slow.example/', { ...OPTIONS, timeoutMs: 100 })).rejects.toMatchObject(
      failing('The server did not answer in time.', true),
    );
  });

  it('ends at once with the reason of the caller when it is aborted', async () => {
    await using server = await listenRaw('HTTP/1.1 200 OK\r\n\r\nfirst');
    const fetch = fetchAllowing('127.0.0.1');
    const reason = new Error('cancelled');
    await expect(fetchAll(fetch, server.url, { ...OPTIONS, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const { body } = await fetch.download(server.url, { ...OPTIONS, signal: controller.signal });
    const reading = (async () => {
      for await (const _ of body) controller.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
    await poll(() => server.sockets.size).toBe(0);
  });

  it('closes the connection when the reader stops early', async () => {
    await using server = await listenRaw('HTTP/1.1 200 OK\r\n\r\nfirst');
    const { body } = await fetchAllowing('127.0.0.1').download(server.url, OPTIONS);
    for await (const _ of body) break;
    await poll(() => server.sockets.size).toBe(0);
  });

  it('closes an unread body after its timeout', async () => {
    await using server = await listenRaw('HTTP/1.1 200 OK\r\n\r\nfirst');
    await fetchAllowing('127.0.0.1').download(server.url, { ...OPTIONS, timeoutMs: 200 });
    await poll(() => server.sockets.size).toBe(0);
  });

  it('reports refused connections and unknown names without internal details', async () => {
    const closed = await listenHttp(() => undefined);
    await closed[Symbol.asyncDispose]();
    await expect(fetchAll(fetchAllowing('127.0.0.1'), closed.url)).rejects.toMatchObject(
      failing('The connection was refused.', true),
    );
    const missing = Object.assign(new Error('getaddrinfo ENOTFOUND secret.example'), { code: 'ENOTFOUND' });
    const fetch = fetchAllowing('', { resolve: () => Promise.reject(missing) });
    await expect(fetchAll(fetch, 'http://secret.example/')).rejects.toMatchObject(
      failing('The host name could not be resolved.', true),
    );
  });

  it('refuses an untrusted certificate', async () => {
    await using server = await listen(createTlsServer(SELF_SIGNED, (_, response) => response.end('x')));
    const fetch = fetchAllowing('files.example', { resolve: async () => ['127.0.0.1'] });
    await expect(fetchAll(fetch, `https://files.example:${server.port}/`)).rejects.toMatchObject(
      failing('The certificate of the server is not valid.', false),
    );
  });

  it('reports a server without TLS', async () => {
    await using server = await listenHttp((_, response) => response.end('x'));
    await expect(fetchAll(fetchAllowing('127.0.0.1'), `https://127.0.0.1:${server.port}/`)).rejects.toMatchObject(
      failing('The TLS connection failed.', false),
    );
  });
});

function stall(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst');
}

function drip(socket: Socket): void {
  stall(socket);
  const timer = setInterval(() => socket.write('.'), 20);
  socket.on('close', () => clearInterval(timer));
}
