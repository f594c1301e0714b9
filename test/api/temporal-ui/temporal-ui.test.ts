import { ne } from 'drizzle-orm';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { accounts, apiKeys } from '../../../src/database/schema/accounts.ts';
import { createPayloadCodec } from '../../../src/temporal/payload-codec.ts';
import { testKeyRing } from '../../support/test-vault.ts';
import { OPERATOR_KEY, testGateway, type TestGateway } from '../support/gateway.ts';

const UI = 'https://temporal.test';
const codec = createPayloadCodec({ sealer: testKeyRing.sealer('payloads'), encrypt: true, encryptedSinceMs: 0 });

let gateway: TestGateway;
let body: string;
beforeAll(async () => {
  gateway = await testGateway({
    temporalUi: { url: `${UI}/ui`, namespace: 'default' },
    admitToTemporalUi: (path) => `http://127.0.0.1:8233${path}?pass=x`,
    limits: { failedAuthentications: 1000 },
  });
  // The test gateway has a second account.
  gateway.records.accounts.hasOthers = async (id) => id !== gateway.account.id;
  const context = { type: 'workflow', namespace: 'default', workflowId: 'upload/upl_1' } as const;
  const [payload] = await codec.encode([defaultPayloadConverter.toPayload('the name of a file')], context);
  const base64 = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('base64');
  const metadata = Object.fromEntries(Object.entries(payload!.metadata!).map(([name, of]) => [name, base64(of)]));
  body = JSON.stringify({ payloads: [{ metadata, data: base64(payload!.data) }] });
});
afterAll(async () => await gateway[Symbol.asyncDispose]());

async function decode(headers: Record<string, string>, key: string | null = null) {
  const json = { 'content-type': 'application/json', 'x-namespace': 'default' };
  return await gateway.fetch('/temporal-codec/decode', {
    method: 'POST',
    key,
    headers: { ...json, ...headers },
    body,
  });
}

async function sessionOf(apiKey = gateway.key): Promise<{ cookie: string }> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', key: null, headers, body: JSON.stringify({ apiKey }) };
  const response = await gateway.fetch('/session', init);
  expect(response.status).toBe(201);
  return { cookie: response.headers.get('set-cookie')!.split(';')[0]! };
}

async function weakKey(): Promise<string> {
  const { key } = await gateway.records.apiKeys.create(gateway.account.id, 'Weak', {
    scopes: ['read', 'uploads', 'webhooks', 'keys'],
    expiresAt: null,
  });
  return key;
}

describe('the codec endpoint', () => {
  test('decodes for an operator with a key in either header', async () => {
    for (const response of [await decode({}, gateway.key), await decode({ authorization: `Bearer ${gateway.key}` })]) {
      expect(response.status).toBe(200);
      const { payloads } = (await response.json()) as { payloads: { data: string }[] };
      expect(payloads.map(({ data }) => atob(data))).toEqual(['"the name of a file"']);
    }
  });

  test('answers 401 without a key, 403 to a key of another account and to one without the scope admin', async () => {
    expect((await decode({})).status).toBe(401);
    expect((await decode({}, 'bk_nobody')).status).toBe(401);
    expect((await decode({}, gateway.foreignKey)).status).toBe(403);
    expect((await decode({}, await weakKey())).status).toBe(403);
  });

  test('decodes for the key and the session of the operator', async () => {
    expect((await decode({}, OPERATOR_KEY)).status).toBe(200);
    const cookie = await sessionOf(OPERATOR_KEY);
    expect((await decode({ ...cookie, origin: UI, 'sec-fetch-site': 'same-site' })).status).toBe(200);
    expect((await decode({ ...cookie, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' })).status).toBe(401);
  });

  test('decodes only for the operator once the instance has a second account', async () => {
    await using shared = await testGateway({ temporalUi: { url: `${UI}/ui`, namespace: 'default' } });
    const statusFor = async (key: string): Promise<number> => {
      const headers = { 'content-type': 'application/json' };
      return (await shared.fetch('/temporal-codec/decode', { method: 'POST', key, headers, body })).status;
    };
    expect(await statusFor(shared.key)).toBe(403);
    expect(await statusFor(OPERATOR_KEY)).toBe(200);
  });

  test('accepts a session from the origin of the Web UI only', async () => {
    const cookie = await sessionOf();
    const response = await decode({ ...cookie, origin: UI, 'sec-fetch-site': 'same-site' });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(UI);
    expect(response.headers.get('access-control-allow-credentials')).toBe('true');
    const foreign = await decode({ ...cookie, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' });
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([401, null]);
  });

  test('names the allowed origin to browsers', async () => {
    const preflight = (origin: string) =>
      gateway.fetch('/temporal-codec/decode', {
        method: 'OPTIONS',
        key: null,
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const allowed = await preflight(UI);
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, UI]);
    expect(allowed.headers.get('access-control-allow-headers')).toContain('x-namespace');
    expect((await preflight('https://evil.test')).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('answers 400 to a malformed body', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const text of ['{}', '{"payloads":[{"data":"no base64!"}]}', '[', `{"payloads":[${'{},'.repeat(1000)}{}]}`]) {
      const response = await gateway.fetch('/temporal-codec/decode', { method: 'POST', headers, body: text });
      expect(response.status).toBe(400);
    }
  });
});

describe('the redirect into the Web UI', () => {
  const goTo = (path: string, headers = {}) => gateway.fetch(path, { key: null, headers, redirect: 'manual' });

  test('adds a pass to the page that an operator requests', async () => {
    const response = await goTo('/temporal-ui/namespaces/default/workflows/upload%2Fupl_1', await sessionOf());
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(
      'http://127.0.0.1:8233/namespaces/default/workflows/upload%2Fupl_1?pass=x',
    );
    expect((await goTo('/temporal-ui', await sessionOf())).headers.get('location')).toBe(
      'http://127.0.0.1:8233/?pass=x',
    );
  });

  test('keeps the query of a list, also on the way over the sign-in', async () => {
    const list = '/temporal-ui/namespaces/default/workflows?query=BurnishStatus%3D%22UPLOAD_FAILED%22';
    expect((await goTo(list, await sessionOf())).headers.get('location')).toBe(
      `http://127.0.0.1:8233${list.slice('/temporal-ui'.length)}?pass=x`,
    );
    expect((await goTo(list)).headers.get('location')).toBe(`/sign-in?to=${encodeURIComponent(list)}`);
  });

  test('adds a pass for the session of the operator', async () => {
    const response = await goTo('/temporal-ui', await sessionOf(OPERATOR_KEY));
    expect(response.headers.get('location')).toBe('http://127.0.0.1:8233/?pass=x');
  });

  test('sends a visitor without a session to the sign-in page, and back afterwards', async () => {
    const response = await goTo('/temporal-ui/namespaces/default');
    expect(response.headers.get('location')).toBe('/sign-in?to=%2Ftemporal-ui%2Fnamespaces%2Fdefault');
  });

  test('adds no pass for another account or for a session without the scope admin', async () => {
    for (const key of [gateway.foreignKey, await weakKey()]) {
      const response = await goTo('/temporal-ui', await sessionOf(key));
      expect([response.status, response.headers.get('location')]).toEqual([403, null]);
      const page = await response.text();
      expect(page).toMatch(/sign in<\/a>\s+with\s+the\s+operator/);
      expect(page).toContain('<a href="/">Return to the dashboard</a>');
    }
  });

  test('is not found without an embedded server', async () => {
    await using other = await testGateway();
    expect((await other.fetch('/temporal-ui')).status).toBe(404);
  });
});

test('a session shows the Web UI only to callers that it admits', async () => {
  const uiOf = async (key: string): Promise<unknown> => {
    const response = await gateway.fetch('/session', { key: null, headers: await sessionOf(key) });
    return ((await response.json()) as { temporalUi: unknown }).temporalUi;
  };
  const ui = { url: `${UI}/ui`, namespace: 'default' };
  expect(await uiOf(gateway.key)).toEqual(ui);
  expect(await uiOf(OPERATOR_KEY)).toEqual(ui);
  expect(await uiOf(await weakKey())).toBeNull();
  expect(await uiOf(gateway.foreignKey)).toBeNull();
});

test('the test account of the only account takes no access from it, and has none', async () => {
  await using alone = await testGateway({ temporalUi: { url: `${UI}/ui`, namespace: 'default' } });
  const { records, database, account } = alone;
  await database.orm.delete(apiKeys).where(ne(apiKeys.accountId, account.id));
  await database.orm.delete(accounts).where(ne(accounts.id, account.id));
  const { id } = await records.accounts.ensureTestAccount(account.id);
  const { key: testKey } = await records.apiKeys.create(id, 'Test', { test: true });
  const statusFor = async (key: string): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    return (await alone.fetch('/temporal-codec/decode', { method: 'POST', key, headers, body })).status;
  };
  expect([await statusFor(alone.key), await statusFor(testKey)]).toEqual([200, 403]);
});
