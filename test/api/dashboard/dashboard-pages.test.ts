import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CLIENT_PATHS } from '../../../packages/dashboard/src/paths.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';

const PAGE = '<!doctype html><title>Burnish</title>';
const SCRIPT = 'export const x = 1;'.repeat(100);
const PATHS = ['/', '/uploads', '/uploads/upl_1', '/keys', '/webhooks', '/credits', '/settings', '/sign-in'];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let gateway: TestGateway;

beforeAll(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder.path, 'assets'));
  await writeFile(join(folder.path, 'index.html'), PAGE);
  await writeFile(join(folder.path, 'assets', 'index-1a2b.js'), SCRIPT);
  await writeFile(join(folder.path, 'assets', 'index-1a2b.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(join(folder.path, 'assets', 'index-1a2b.js.gz'), gzipSync(SCRIPT));
  await writeFile(join(folder.path, 'secret.txt'), 'nobody may read this');
  gateway = await testGateway({ dashboardFolder: folder.path });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** As browsers ask for a page. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  gateway.fetch(path, { key: null, headers, method });

describe('the page of the dashboard', () => {
  test.each(PATHS)('is served at %s without caching, and may load nothing from other origins', async (path) => {
    const response = await get(path, BROWSER);
    expect([response.status, await response.text()]).toEqual([200, PAGE]);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const policy = response.headers.get('content-security-policy')!.split('; ');
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' blob: data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
  });

  test.each(PATHS)('includes %s, so that the browser requests no other', (path) => {
    for (const rest of ['', '?a=b', '#c']) expect(CLIENT_PATHS.test(path + rest)).toBe(true);
  });

  test.each([
    '/v1/uploads',
    '/docs',
    '/graphiql',
    '/graphql',
    '/openapi.json',
    '/healthz',
    '/files/x/y',
    '/session',
    '/uploads/a/b',
  ])('is not served at %s', async (path) => {
    expect(CLIENT_PATHS.test(path)).toBe(false);
    expect(await (await get(path)).text()).not.toBe(PAGE);
  });

  // Whoever read the address that a file is sent to was given the dashboard, and took it for an answer.
  test('is served only to browsers at paths of uploaded files, and to every client elsewhere', async () => {
    const asked = await get('/uploads/upl_1');
    expect([asked.status, asked.headers.get('allow')]).toEqual([405, 'OPTIONS, PUT']);
    expect(await asked.json()).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect((await get('/uploads')).status).toBe(200);
  });

  test('redirects a browser from an unknown path, and answers 404 to a program', async () => {
    const lost = await get('/nothing', BROWSER);
    expect([lost.status, await lost.text(), lost.headers.get('content-security-policy') !== null]).toEqual([
      404,
      PAGE,
      true,
    ]);
    for (const [path, headers] of [
      ['/nothing', {}],
      ['/v1/nothing', { ...BROWSER, 'x-api-key': gateway.key }],
    ] as const) {
      const response = await get(path, headers);
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([404, 'NOT_FOUND']);
    }
    expect((await get('/nothing', BROWSER, 'POST')).headers.get('content-type')).toBe('application/problem+json');
  });

  test('answers HEAD without a body, and refuses methods other than reads', async () => {
    const head = await get('/keys', {}, 'HEAD');
    expect([head.status, await head.text(), head.headers.get('content-length')]).toEqual([
      200,
      '',
      String(PAGE.length),
    ]);
    expect((await get('/keys', {}, 'POST')).status).toBe(404);
  });

  test('explains how to build the dashboard if it is not built', async () => {
    await using sources = await testGateway({ dashboardFolder: join(folder.path, 'assets') });
    const response = await sources.fetch('/', { key: null });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('npm run build');
  });
});

describe('assets of the dashboard', () => {
  test.each([
    ['br', 'gzip, deflate, br'],
    ['gzip', 'gzip'],
    [null, 'identity'],
    ['gzip', 'br;q=0, gzip'],
  ])('are cached for good, and served as %s for the header Accept-Encoding: %s', async (encoding, accepted) => {
    const response = await get('/assets/index-1a2b.js', { 'accept-encoding': accepted });
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, encoding]);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    expect(await response.text()).toBe(SCRIPT);
  });

  test('include built files only', async () => {
    for (const path of [
      '/secret.txt',
      '/assets/../secret.txt',
      '/assets/..%2fsecret.txt',
      '/assets/index-1a2b.js.br',
      '/assets/',
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
  });
});
