import { createServer, request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { runInNewContext } from 'node:vm';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createPasses } from '../../src/secrets/passes.ts';
import { createPayloadCodec } from '../../src/temporal/payload-codec.ts';
import { testPort } from '../support/test-port.ts';
import { hiddenUiHost, openUiProxy, type UiProxy } from '../../src/temporal/ui-proxy.ts';
import { testKeyRing } from '../support/test-vault.ts';

const ENTRANCE = 'http://gateway.test/temporal-ui';
const PAGE = { accept: 'text/html' };
const sealer = testKeyRing.sealer('payloads');
const clock = { aheadMs: 0 };
const passes = createPasses(testKeyRing.sealer('temporal ui'), () => Date.now() + clock.aheadMs);

/** In the place of the Web UI, which answers everyone: notes what reaches it. */
const reached: IncomingMessage[] = [];
const ui = createServer((req, res) => {
  reached.push(req);
  res.setHeader('set-cookie', ['_csrf=1; Path=/']).end(`${req.method} ${req.url}`);
});
let proxy: UiProxy;
let port: number;
beforeAll(async () => {
  const host = hiddenUiHost();
  await new Promise<void>((resolve) => ui.listen(0, host, resolve));
  port = await testPort();
  proxy = await openUiProxy({
    ...{ host: '127.0.0.1', port, passes, sealer, entrance: ENTRANCE },
    entry: { namespace: 'default', searchNames: false },
  });
  proxy.leadTo(`http://${host}:${(ui.address() as AddressInfo).port}`);
});
afterAll(async () => {
  await proxy.close();
  ui.close();
});

interface Sent {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string;
}

async function send(path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const sent = request({ host: '127.0.0.1', port, path, method, headers: { host: `127.0.0.1:${port}`, ...headers } });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject);
    sent.end(body);
  });
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

/** The cookie of a person whom the gateway has let in. */
async function comeIn(): Promise<{ cookie: string }> {
  const { headers } = await send(`/?pass=${passes.issue('way in', 60_000)}`);
  return { cookie: headers['set-cookie']![0]!.split(';')[0]! };
}

describe('the proxy before the Web UI of the embedded server', () => {
  test('refuses a foreign Host header, with and without a cookie, and forwards nothing', async () => {
    const cookie = await comeIn();
    const before = reached.length;
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', 'localhost.evil.example']) {
      for (const headers of [{ host }, { host, ...cookie }]) {
        expect(await send('/api/v1/namespaces', { headers })).toMatchObject({ status: 421 });
      }
    }
    expect(reached).toHaveLength(before);
  });

  test('redirects a person without a pass to the gateway, with the requested page', async () => {
    const { status, headers } = await send('/namespaces/default/workflows/upload%2Fupl_1?a=b', { headers: PAGE });
    expect([status, headers.location]).toEqual([303, `${ENTRANCE}/namespaces/default/workflows/upload%2Fupl_1?a=b`]);
  });

  test('refuses other requests without a pass, or with one that is changed, expired or of another kind', async () => {
    const pass = passes.issue('way in', 60_000);
    // Not the last character: two of its bits say nothing.
    const altered = `${pass.slice(0, -2)}${pass.at(-2) === 'A' ? 'B' : 'A'}${pass.at(-1)}`;
    const before = reached.length;
    expect(await send('/api/v1/namespaces')).toMatchObject({ status: 401 });
    for (const bad of [altered, passes.issue('cookie', 60_000), passes.issue('way in', -1), 'x'.repeat(5_000)]) {
      expect(await send(`/?pass=${bad}`)).toMatchObject({ status: 401 });
    }
    const cookie = `burnish_temporal_ui=${pass}`;
    expect(await send('/api/v1/namespaces', { headers: { cookie } })).toMatchObject({ status: 401 });
    expect(reached).toHaveLength(before);
  });

  test('accepts a person with a pass, and removes the pass from the address', async () => {
    const { status, headers, text } = await send(`/namespaces/default?x=1&pass=${passes.issue('way in', 60_000)}`);
    expect(status).toBe(200);
    expect(text).toContain('location.replace("/namespaces/default?x=1");');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['set-cookie']![0]).toMatch(/; HttpOnly; SameSite=Lax; Path=\/$/);
    const answer = await send('/namespaces/default?x=1', { headers: await comeIn() });
    expect(answer).toMatchObject({ status: 200, text: 'GET /namespaces/default?x=1' });
    expect(answer.headers['set-cookie']).toEqual(['_csrf=1; Path=/']);
    expect(reached.at(-1)!.headers.host).not.toContain(String(port));
  });

  test('gives a browser its columns and saved views once, and keeps those of a person', async () => {
    const { text } = await send(`/?pass=${passes.issue('way in', 60_000)}`);
    const [, script] = /<script nonce="[^"]+">([^]*)<\/script>/.exec(text)!;
    const kept = new Map<string, string>();
    const localStorage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    };
    const enter = (): void => runInNewContext(script!, { localStorage, location: { replace: () => undefined } });
    const read = (key: string) => JSON.parse(kept.get(key)!) as Record<string, { name?: string; label?: string }[]>;
    kept.set('saved-workflow-queries', '{"other":[{"name":"Mine"}]}');
    enter();
    expect(read('saved-workflow-queries')['other']).toEqual([{ name: 'Mine' }]);
    expect(read('saved-workflow-queries')['default']!.map(({ name }) => name)).toContain('Failed uploads');
    expect(read('namespace-workflow-table-columns')['default']!.map(({ label }) => label)).toContain(
      'BurnishErrorCode',
    );
    kept.set('saved-workflow-queries', '{"default":[]}');
    enter();
    expect(kept.get('saved-workflow-queries')).toBe('{"default":[]}');
  });

  test('asks the gateway again after an hour', async () => {
    const headers = await comeIn();
    clock.aheadMs = 3_600_001;
    expect(await send('/api/v1/namespaces', { headers })).toMatchObject({ status: 401 });
    clock.aheadMs = 0;
  });

  test.each([
    ['a form of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a page on another port of this machine', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['a page that hides its origin', { origin: 'null' }],
  ])('refuses a command from %s', async (_whose, foreign) => {
    const before = reached.length;
    const headers = { ...(await comeIn()), ...foreign };
    const path = '/api/v1/namespaces/default/workflows/kept/terminate';
    expect(await send(path, { method: 'POST', headers, body: '{}' })).toMatchObject({ status: 403 });
    expect(reached).toHaveLength(before);
  });

  test('does not redirect to another host by an address with two slashes', async () => {
    const { text } = await send(`//evil.example/?pass=${passes.issue('way in', 60_000)}`);
    expect(text).toMatch(/location\.replace\("\/(?!\/)/);
  });

  test('runs no text of an address as a script, whatever it ends with', async () => {
    const address = `/${encodeURIComponent('</script><script>')}?q=</script><script>alert(1)//&`;
    const { text, headers } = await send(`${address}pass=${passes.issue('way in', 60_000)}`);
    expect(text.match(/<\/script>/g)).toHaveLength(1);
    const [, nonce] = /<script nonce="([^"]+)">/.exec(text)!;
    expect(headers['content-security-policy']).toBe(`default-src 'none'; script-src 'nonce-${nonce}'`);
  });

  test('decodes payloads only for a person with a pass', async () => {
    const codec = createPayloadCodec({ sealer, encrypt: true, encryptedSinceMs: 0 });
    const context = { type: 'workflow', namespace: 'default', workflowId: 'upload/upl_1' } as const;
    const [payload] = await codec.encode([defaultPayloadConverter.toPayload({ name: 'photo.jpg' })], context);
    const base64 = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('base64');
    const metadata = Object.fromEntries(Object.entries(payload!.metadata!).map(([name, of]) => [name, base64(of)]));
    const plain = { metadata: { encoding: btoa('json/plain') }, data: btoa('"as it is"') };
    const body = JSON.stringify({ payloads: [{ metadata, data: base64(payload!.data) }, plain] });
    const sent = (headers: OutgoingHttpHeaders, of = body): ReturnType<typeof send> =>
      send('/burnish-codec/decode', {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(of) },
        body: of,
      });
    expect(await sent({})).toMatchObject({ status: 401 });
    const answer = await sent(await comeIn());
    expect(answer.status).toBe(200);
    const { payloads } = JSON.parse(answer.text) as { payloads: { metadata: object; data: string }[] };
    expect(payloads.map(({ data }) => JSON.parse(atob(data)) as unknown)).toEqual([{ name: 'photo.jpg' }, 'as it is']);
    expect(await sent(await comeIn(), '{"payloads":7}')).toMatchObject({ status: 400 });
    expect(await sent(await comeIn(), 'no JSON')).toMatchObject({ status: 400 });
  });
});
