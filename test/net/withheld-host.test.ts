import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseAllowedHosts } from '../../src/net/allowed-hosts.ts';
import { createSafeFetch } from '../../src/net/safe-fetch.ts';
import { fetchAll, OPTIONS } from './fetching.ts';
import { listenHttp, type LocalServer } from '../support/local-server.ts';
import { expectNamed } from '../support/expect-named.ts';

let hosted: LocalServer;
let other: LocalServer;
let asked = 0;

beforeAll(async () => {
  hosted = await listenHttp((_req, res) => {
    asked += 1;
    res.end('secret');
  });
  other = await listenHttp((req, res) => {
    if (req.url === '/redirect') res.writeHead(302, { Location: `http://127.0.0.1:${hosted.port}/` }).end();
    else res.end('a file');
  });
});
afterAll(async () => {
  await hosted[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

const resolve = async (name: string): Promise<string[]> =>
  name === 'elsewhere.test' ? ['203.0.113.7'] : ['127.0.0.1'];
const callers = (allowed: string, hostedUrl: string) =>
  createSafeFetch({ allowedPrivateHosts: parseAllowedHosts(allowed), withheld: hostedUrl, resolve });
const refusal = { code: 'URL_NOT_ALLOWED' };

describe('callers cannot reach the hosted service', () => {
  test.each([
    ['its host and port', (port: number) => `127.0.0.1:${port}`],
    ['its host with any port', () => '127.0.0.1'],
    ['another spelling of its host', () => '127.0.0.1, localhost, [::1], alias.test, 127.0.0.2'],
  ])('although the operator allows %s', async (_what, allowed) => {
    const { port } = hosted;
    const fetch = callers(allowed(port), `http://127.0.0.1:${port}`);
    expect(() => fetch.assertAllowedUrl(`http://127.0.0.1:${port}/file.jpg`)).toThrow('private network');
    expect(() => fetch.assertAllowedEndpoint(`http://127.0.0.1:${port}/hook`)).toThrow('private network');
    for (const host of ['127.0.0.1', 'localhost', 'alias.test', '127.0.0.2', '2130706433']) {
      const url = `http://${host}:${port}/file.jpg`;
      await expectNamed(fetch.download(url, OPTIONS), url).rejects.toMatchObject(refusal);
      await expectNamed(
        fetch.post(url, { body: '{}', headers: {}, timeoutMs: 5_000, maxAnswerBytes: 100 }),
        url,
      ).rejects.toMatchObject(refusal);
    }
    expect(asked).toBe(0);
  });

  test('through a redirect of an allowed host', async () => {
    const fetch = callers('127.0.0.1', `http://127.0.0.1:${hosted.port}`);
    await expect(fetch.download(`${other.url}/redirect`, OPTIONS)).rejects.toMatchObject(refusal);
    expect(asked).toBe(0);
  });

  test('but can reach other ports of its host if the operator allows it', async () => {
    const fetch = callers('127.0.0.1', `http://127.0.0.1:${hosted.port}`);
    expect(() => fetch.assertAllowedEndpoint(`${other.url}/hook`)).not.toThrow();
    expect(await fetchAll(fetch, `${other.url}/file.jpg`)).toBe('a file');
  });
});
