import { describe, expect, it } from '@jest/globals';
import { parseAllowedHosts } from '../../src/net/allowed-hosts.ts';
import { createSafeFetch } from '../../src/net/safe-fetch.ts';
import { OPTIONS, failing, fetchAll, fetchAllowing, text } from './fetching.ts';
import { listenHttp } from '../support/local-server.ts';
import { poll } from '../support/poll.ts';

describe('a download and the address policy', () => {
  it('refuses a private server before any connection, unless it is allowed', async () => {
    await using server = await listenHttp((_, response) => response.end('secret'));
    let connections = 0;
    const fetch = createSafeFetch({
      allowedPrivateHosts: parseAllowedHosts(`127.0.0.1:${server.port + 1}`),
      resolve: async () => {
        connections += 1;
        return ['127.0.0.1'];
      },
    });
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', 'inside.example']) {
      await expect(fetchAll(fetch, `http://${host}:${server.port}/`)).rejects.toMatchObject({
        code: 'URL_NOT_ALLOWED',
      });
    }
    expect(connections).toBe(1);
    expect(server.sockets.size).toBe(0);
  });

  it('refuses a name with one private address among many', async () => {
    const fetch = fetchAllowing('', { resolve: async () => ['8.8.8.8', '10.0.0.1'] });
    await expect(fetchAll(fetch, 'http://mixed.example/')).rejects.toMatchObject({ code: 'URL_NOT_ALLOWED' });
  });

  it('follows redirects with one DNS query each, and sends headers to the first origin only', async () => {
    await using second = await listenHttp((request, response) =>
      response.end(request.headers['x-api-key'] ?? 'no key'),
    );
    await using first = await listenHttp((request, response) => {
      const to = request.url === '/start' ? '../middle' : `http://second.example:${second.port}/end.jpg`;
      response.writeHead(302, { location: to, 'x-saw-key': request.headers['x-api-key'] ?? '' }).end();
    });
    const asked: string[] = [];
    const fetch = fetchAllowing('first.example second.example', {
      resolve: async (hostname) => {
        asked.push(hostname);
        return ['127.0.0.1'];
      },
    });
    const url = `http://first.example:${first.port}/start`;
    const answer = await fetch.download(url, { ...OPTIONS, headers: { 'x-api-key': 'k' } });
    expect(answer).toMatchObject({ finalUrl: `http://second.example:${second.port}/end.jpg`, filename: 'end.jpg' });
    expect(await text(answer.body)).toBe('no key');
    expect(asked).toEqual(['first.example', 'first.example', 'second.example']);
  });

  it.each([0, 1, 4])('refuses a redirect to a private address after %d others', async (others) => {
    await using inside = await listenHttp((_, response) => response.end('secret'));
    for (const target of [
      `http://127.0.0.2:${inside.port}/`,
      `http://0x7f.2:${inside.port}/`,
      `http://localhost:${inside.port}/`,
      `http://[::ffff:7f00:1]:${inside.port}/`,
      `//inside.example:${inside.port}/`,
      'file:///etc/passwd',
      'http://u:p@8.8.8.8/',
    ]) {
      await using server = await listenHttp((request, response) => {
        const hop = Number(request.url!.slice(1));
        response.writeHead(307, { location: hop < others ? `/${hop + 1}` : target }).end();
      });
      const fetch = fetchAllowing(`127.0.0.1:${server.port}`, { resolve: async () => ['127.0.0.1'] });
      await expect(fetchAll(fetch, `${server.url}/0`)).rejects.toMatchObject({ code: 'URL_NOT_ALLOWED' });
      expect(inside.sockets.size).toBe(0);
    }
  });

  it('checks each redirect by the DNS answer of that moment', async () => {
    await using server = await listenHttp((_, response) => {
      response.writeHead(302, { location: `http://rebinding.example:${server.port + 1}/` }).end();
    });
    // The same name both times: allowed with the first port only, and private.
    const fetch = fetchAllowing(`rebinding.example:${server.port}`, { resolve: async () => ['127.0.0.1'] });
    await expect(fetchAll(fetch, `http://rebinding.example:${server.port}/`)).rejects.toMatchObject({
      code: 'URL_NOT_ALLOWED',
    });
  });

  it('follows five redirects, and refuses a sixth and a loop', async () => {
    await using server = await listenHttp((request, response) => {
      const hop = Number(request.url!.slice(1));
      if (hop === 0) response.end('arrived');
      else response.writeHead(301, { location: hop === 99 ? '/99' : `/${hop - 1}` }).end();
    });
    const fetch = fetchAllowing('127.0.0.1');
    expect(await fetchAll(fetch, `${server.url}/5`)).toBe('arrived');
    const tooOften = failing('The URL redirects too often.', false);
    await expect(fetchAll(fetch, `${server.url}/6`)).rejects.toMatchObject(tooOften);
    await expect(fetchAll(fetch, `${server.url}/99`)).rejects.toMatchObject(tooOften);
    await poll(() => server.sockets.size).toBe(0);
  });

  it.each([
    ['http://[', 'The URL redirects to an invalid URL.'],
    [undefined, 'The server answered with status 302.'],
  ])('refuses a redirect to %j', async (location, detail) => {
    await using server = await listenHttp((_, response) => {
      response.writeHead(302, location === undefined ? {} : { location }).end();
    });
    await expect(fetchAll(fetchAllowing('127.0.0.1'), server.url)).rejects.toMatchObject(failing(detail, false));
  });
});
