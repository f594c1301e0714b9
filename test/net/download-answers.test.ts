import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { OPTIONS, failing, fetchAll, fetchAllowing } from './fetching.ts';
import { listenHttp, listenRaw } from '../support/local-server.ts';
import { poll } from '../support/poll.ts';

describe('a download and the answer of its server', () => {
  it.each([
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [410, false],
    [304, false],
    [408, true],
    [425, true],
    [429, true],
    [500, true],
    [502, true],
    [503, true],
  ])('reports for status %d whether a retry can help: %s', async (status, retryable) => {
    await using server = await listenHttp((_, response) => response.writeHead(status).end('internal words'));
    await expect(fetchAll(fetchAllowing('127.0.0.1'), server.url)).rejects.toMatchObject(
      failing(`The server answered with status ${status}.`, retryable),
    );
  });

  it.each([
    ['declares', { 'content-length': '11' }],
    ['sends', {}],
  ])('refuses a file that %s one byte too many, and accepts one within the limit', async (_, headers) => {
    await using server = await listenHttp((__, response) => response.writeHead(200, headers).end('hello world'));
    const fetch = fetchAllowing('127.0.0.1');
    expect(await fetchAll(fetch, server.url, { ...OPTIONS, maxBytes: 11 })).toBe('hello world');
    await expect(fetchAll(fetch, server.url, { ...OPTIONS, maxBytes: 10 })).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
      retryable: false,
    });
    await poll(() => server.sockets.size).toBe(0);
  });

  it('stops an endless body at the limit', async () => {
    let sent = 0;
    await using server = await listenHttp((_, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(64_000))) sent += 64_000;
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    });
    await expect(fetchAll(fetchAllowing('127.0.0.1'), server.url)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    await poll(() => server.sockets.size).toBe(0);
    expect(sent).toBeLessThan(50_000_000);
  });

  it('detects a body shorter than its Content-Length', async () => {
    await using server = await listenRaw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort', (socket) =>
      socket.end(),
    );
    await expect(fetchAll(fetchAllowing('127.0.0.1'), server.url)).rejects.toMatchObject(
      failing('The connection was interrupted.', true),
    );
  });

  it('reads no more than Content-Length', async () => {
    await using server = await listenRaw(
      'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfourHTTP/1.1 200 OK\r\n\r\nsmuggled',
    );
    const outcome = await fetchAll(fetchAllowing('127.0.0.1'), server.url).catch((error: unknown) => error);
    expect(outcome === 'four' || (outcome as { code: string }).code === 'URL_FETCH_FAILED').toBe(true);
  });

  it.each([
    [
      'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nfour',
      'The response has another length than its Content-Length.',
      true,
    ],
    [
      'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'The response has another length than its Content-Length.',
      true,
    ],
    ['SSH-2.0-OpenSSH_9.6\r\n', 'The response is not valid HTTP.', false],
    [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 'The response has too many headers.', false],
  ])('refuses answer %j', async (answer, detail, retryable) => {
    await using server = await listenRaw(answer);
    await expect(fetchAll(fetchAllowing('127.0.0.1'), server.url)).rejects.toMatchObject(failing(detail, retryable));
  });

  it.each(['gzip', 'GZIP', 'br', 'deflate', 'zstd', 'identity, gzip'])(
    'refuses a body compressed with %s',
    async (encoding) => {
      const bomb = gzipSync(Buffer.alloc(5_000_000));
      await using server = await listenHttp((_, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end(bomb);
      });
      await expect(fetchAll(fetchAllowing('127.0.0.1'), server.url)).rejects.toMatchObject(
        failing('The server answered with a compressed body, although none was requested.', false),
      );
    },
  );

  it('stores a compressed file unchanged if it is the file itself', async () => {
    const file = gzipSync(Buffer.alloc(5_000_000));
    await using server = await listenHttp((_, response) => response.end(file));
    const { body } = await fetchAllowing('127.0.0.1').download(server.url, OPTIONS);
    let size = 0;
    for await (const chunk of body) size += chunk.byteLength;
    expect(size).toBe(file.byteLength);
  });
});
