import { describe, expect, it } from '@jest/globals';
import { OPTIONS, fetchAll, fetchAllowing, text } from './fetching.ts';
import { listenHttp } from '../support/local-server.ts';
import { poll } from '../support/poll.ts';

describe('a download', () => {
  it('returns body, type, name and final address of a file', async () => {
    await using server = await listenHttp((request, response) => {
      response.setHeader('content-type', 'Image/JPEG; charset=binary');
      response.end(JSON.stringify(request.headers));
    });
    const fetch = fetchAllowing(`127.0.0.1:${server.port}`);
    const url = `${server.url}/a%20b/photo%20one.jpg?size=1#top`;
    const { body, ...facts } = await fetch.download(url, { ...OPTIONS, headers: { 'x-api-key': 'k' } });
    const names = { filename: 'photo one.jpg', declaredFilename: null };
    expect(facts).toEqual({ finalUrl: url, status: 200, contentType: 'image/jpeg', ...names });
    expect(JSON.parse(await text(body))).toEqual({
      host: `127.0.0.1:${server.port}`,
      connection: 'keep-alive',
      'user-agent': 'burnish',
      'accept-encoding': 'identity',
      'x-api-key': 'k',
    });
    await poll(() => server.sockets.size).toBe(0);
  });

  it.each([
    ['attachment; filename="scan.tif"', 'scan.tif'],
    [`attachment; filename="a.jpg"; filename*=UTF-8''%E2%82%AC%20rates.jpg`, '€ rates.jpg'],
    ['inline; filename="..\\\\..\\\\windows\\\\system.ini"', 'system.ini'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename=".."', 'from-path.png'],
    [`attachment; filename*=UTF-8''evil%E2%80%AEgpj.exe%0d%0a`, 'evilgpj.exe'],
    ['attachment', 'from-path.png'],
    ['"', 'from-path.png'],
    [`attachment; filename="${'x'.repeat(400)}.jpeg"`, `${'x'.repeat(195)}.jpeg`],
    [`attachment; filename="${'x'.repeat(3000)}"`, 'from-path.png'],
  ])('makes a safe name of %j', async (header, expected) => {
    await using server = await listenHttp((_, response) => {
      response.setHeader('content-disposition', header);
      response.end('x');
    });
    const { filename, body } = await fetchAllowing('127.0.0.1').download(`${server.url}/from-path.png`, OPTIONS);
    expect(filename).toBe(expected);
    expect(await text(body)).toBe('x');
  });

  it.each([
    ['/', 'file'],
    ['/a/', 'file'],
    ['/%2e%2e%2fsecret', 'secret'],
    ['/%ff', '%ff'],
  ])('names a file after path %j', async (path, expected) => {
    await using server = await listenHttp((_, response) => response.end('x'));
    const { filename, body } = await fetchAllowing('127.0.0.1').download(`${server.url}${path}`, OPTIONS);
    expect(filename).toBe(expected);
    await text(body);
  });

  it('runs beside many others', async () => {
    await using server = await listenHttp((request, response) => response.end(request.url));
    const fetch = fetchAllowing('127.0.0.1');
    const paths = Array.from({ length: 40 }, (_, i) => `/${i}`);
    expect(await Promise.all(paths.map((path) => fetchAll(fetch, server.url + path)))).toEqual(paths);
    await poll(() => server.sockets.size).toBe(0);
  });

  it('reaches an allowed name through the resolver of the machine', async () => {
    await using server = await listenHttp((_, response) => response.end('x'));
    expect(await fetchAll(fetchAllowing('localhost'), `http://localhost:${server.port}/`)).toBe('x');
  });
});
