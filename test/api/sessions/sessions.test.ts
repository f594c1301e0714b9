import { describe, expect, test } from '@jest/globals';
import { SCOPES } from '@burnish/contract';
import { createOperatorCommands } from '../../../src/api/operator/operator-commands.ts';
import { jpeg } from '../support/files.ts';
import { OPERATOR_KEY, testGateway, type TestResponse, useGateway } from '../support/gateway.ts';
import { poll } from '../../support/poll.ts';

const DAY_MS = 86_400_000;
const OWN = { 'x-burnish-session': '1' };

const gateway = useGateway({ limits: { signIns: 1000 } });

/** Sends with a cookie in the place of a key. */
function send(
  method: string,
  path: string,
  { cookie, headers, body }: { cookie?: string; headers?: Record<string, string>; body?: unknown } = {},
): Promise<TestResponse> {
  return gateway.fetch(path, {
    method,
    key: null,
    headers: {
      ...(cookie === undefined ? {} : { cookie }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const cookieOf = (response: Response): string => response.headers.get('set-cookie')!.split(';')[0]!;

async function signIn(body: unknown = { apiKey: gateway.key }): Promise<string> {
  const response = await send('POST', '/session', { body });
  expect(response.status).toBe(201);
  return cookieOf(response);
}

const isSignedIn = async (cookie: string): Promise<boolean> =>
  (await send('GET', '/v1/credits', { cookie })).status === 200;

describe('signing in with a key', () => {
  test('sets a cookie that scripts cannot read and other sites cannot send, and names the account', async () => {
    const response = await send('POST', '/session', { body: { apiKey: gateway.key } });
    const attributes = response.headers.get('set-cookie')!.split('; ').slice(1);
    expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Strict']));
    expect(attributes).not.toContain('Secure');
    expect(await response.json()).toEqual({
      account: { name: gateway.account.name, plan: 'BASIC' },
      plan: { name: 'Basic', maxResolution: 600 },
      key: { id: expect.stringMatching(/^key_/), name: 'First key', scopes: [...SCOPES] },
      version: '0.0.0-test',
      engineVersion: '12.test',
      sandbox: 'bubblewrap',
      sandboxMissing: null,
      temporalUi: null,
    });
    expect(await isSignedIn(cookieOf(response))).toBe(true);
  });

  test('tells only operators what the sandbox lacks: others share the instance', async () => {
    const sandboxMissing = 'Decoders are not isolated.';
    await using shared = await testGateway({ sandboxMissing });
    const told = async (apiKey: string): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ apiKey });
      const response = await shared.fetch('/session', { method: 'POST', key: null, headers, body });
      return ((await response.json()) as { sandboxMissing: unknown }).sandboxMissing;
    };
    expect([await told(shared.key), await told(shared.foreignKey)]).toEqual([null, null]);
    expect(await told(OPERATOR_KEY)).toBe(sandboxMissing);
    shared.records.accounts.hasOthers = async () => false;
    expect(await told(shared.key)).toBe(sandboxMissing);
  });

  test('under https sets a cookie that is bound to the host and never sent in plain text', async () => {
    await using secure = await testGateway({ publicUrl: 'https://burnish.test' });
    const body = JSON.stringify({ apiKey: secure.key });
    const headers = { 'content-type': 'application/json' };
    const response = await secure.fetch('/session', { method: 'POST', key: null, headers, body });
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-burnish=[\w-]{43}; .*Secure/);
  });

  test.each([
    ['a key that is none', { apiKey: 'bk_nobody' }, 401],
    ['a key with characters that no key has', { apiKey: 'bk nobody\n' }, 401],
    ['nothing', {}, 400],
    ['both a key and a token', { apiKey: 'a', token: 'b' }, 400],
    ['a key that is no text', { apiKey: 7 }, 400],
    ['a key beyond all length', { apiKey: 'x'.repeat(201) }, 400],
  ])('is refused with %s', async (_what, body, status) => {
    const response = await send('POST', '/session', { body });
    expect([response.status, response.headers.get('set-cookie')]).toEqual([status, null]);
  });

  test('is refused from another origin, also from another port of this machine', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://127.0.0.1:1' },
      { origin: 'null' },
    ]) {
      const response = await send('POST', '/session', { body: { apiKey: gateway.key }, headers });
      expect([response.status, response.headers.get('set-cookie')]).toEqual([403, null]);
    }
    const form = { 'content-type': 'text/plain' };
    const body = JSON.stringify({ apiKey: gateway.key });
    expect((await gateway.fetch('/session', { method: 'POST', key: null, headers: form, body })).status).toBe(415);
  });

  test('is accepted from the dashboard, under its public and its local name', async () => {
    for (const origin of ['http://burnish.test', gateway.url]) {
      const headers = { origin, 'sec-fetch-site': 'same-origin' };
      expect((await send('POST', '/session', { body: { apiKey: gateway.key }, headers })).status).toBe(201);
    }
  });

  test('is limited per minute for failures of each address, and for each key', async () => {
    await using bounded = await testGateway({ limits: { signIns: 2 } });
    const attempt = (body: object): Promise<TestResponse> =>
      bounded.fetch('/session', {
        method: 'POST',
        key: null,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const statuses = async (times: number, body: object): Promise<number[]> => {
      const found: number[] = [];
      for (let i = 0; i < times; i += 1) found.push((await attempt(body)).status);
      return found;
    };
    expect(await statuses(2, { apiKey: 'bk_guess' })).toEqual([401, 401]);
    const refused = await attempt({ token: 'a guess' });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(new Set(await statuses(80, { apiKey: 'bk_guess' }))).toEqual(new Set([429]));
    // The address of those failures signs in with every valid key.
    expect(await statuses(3, { apiKey: bounded.key })).toEqual([201, 201, 429]);
    expect(await statuses(1, { apiKey: bounded.foreignKey })).toEqual([201]);
    expect(await statuses(3, { apiKey: OPERATOR_KEY })).toEqual([201, 201, 201]);
  });
});

describe('a session', () => {
  test('opens the API to requests of the dashboard, and to changes only with its header', async () => {
    const cookie = await signIn();
    const body = { uploadRetentionDays: 9 };
    const change = (headers: Record<string, string>): Promise<TestResponse> =>
      send('PATCH', '/v1/settings', { cookie, body, headers });
    expect((await change(OWN)).status).toBe(200);
    const refusals = [{}, { ...OWN, 'sec-fetch-site': 'same-site' }, { ...OWN, origin: 'https://evil.example' }];
    for (const headers of refusals) {
      const response = await change(headers);
      expect([response.status, (await response.json()).code]).toEqual([403, 'UNAUTHENTICATED']);
    }
    expect((await send('GET', '/v1/credits', { cookie, headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(
      403,
    );
    expect((await send('GET', '/v1/credits', { cookie, headers: { 'sec-fetch-site': 'same-origin' } })).status).toBe(
      200,
    );
  });

  test('accepts no file from a form of another site, which sends the type of curl without a preflight', async () => {
    const photo = new Uint8Array(await jpeg());
    const upload = async (headers: Record<string, string>): Promise<number> => {
      const sent = { cookie: await signIn(), 'content-type': 'application/x-www-form-urlencoded', ...headers };
      return (await gateway.fetch('/v1/uploads', { method: 'POST', key: null, headers: sent, body: photo })).status;
    };
    const site = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect([await upload({}), await upload(site), await upload({ ...OWN, ...site })]).toEqual([403, 403, 403]);
    expect(await upload(OWN)).toBe(202);
  });

  test('opens no GraphQL, and a malformed cookie opens nothing', async () => {
    const cookie = await signIn();
    const query = { query: '{ version { version } }' };
    const answer = await (await send('POST', '/graphql', { cookie, headers: OWN, body: query })).json();
    expect(answer.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    expect(await isSignedIn('burnish_session=nothing')).toBe(false);
    expect(await isSignedIn(`burnish_session=${'x'.repeat(43)}`)).toBe(false);
    expect(await isSignedIn(`other=${cookie.split('=')[1]}`)).toBe(false);
  });

  test('is ignored if the request has a key, also a wrong one', async () => {
    const cookie = await signIn();
    const read = (key: string): Promise<TestResponse> =>
      gateway.fetch('/v1/settings', { key, headers: { cookie, 'sec-fetch-site': 'cross-site' } });
    expect((await read(gateway.foreignKey)).status).toBe(200);
    expect((await read('bk_wrong')).status).toBe(401);
  });

  test('ends at sign-out, in this browser only', async () => {
    const [one, other] = [await signIn(), await signIn()];
    const response = await send('DELETE', '/session', { cookie: one });
    expect([response.status, response.headers.get('set-cookie')]).toEqual([
      204,
      expect.stringContaining('Expires=Thu, 01 Jan 1970'),
    ]);
    expect([await isSignedIn(one), await isSignedIn(other)]).toEqual([false, true]);
    expect((await send('GET', '/session', { cookie: one })).status).toBe(204);
  });

  test('ends when another one replaces it in the same browser', async () => {
    const before = await signIn();
    await send('POST', '/session', { cookie: before, body: { apiKey: gateway.key } });
    await poll(() => isSignedIn(before)).toBe(false);
  });

  test('ends at once with its key', async () => {
    const { key, apiKey } = await gateway.records.apiKeys.create(gateway.account.id, 'Short-lived');
    const cookie = await signIn({ apiKey: key });
    expect(await isSignedIn(cookie)).toBe(true);
    expect((await gateway.fetch(`/v1/api-keys/${apiKey.id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await isSignedIn(cookie)).toBe(false);
    expect(
      (await send('PATCH', '/v1/settings', { cookie, headers: OWN, body: { uploadRetentionDays: 8 } })).status,
    ).toBe(401);
  });

  test('expires after a week without use, and after a month at the latest', async () => {
    const used = await signIn();
    const unused = await signIn();
    try {
      for (let day = 6; day <= 24; day += 6) {
        gateway.clock.aheadMs = day * DAY_MS;
        // What was found good a moment ago is not looked up again.
        await new Promise((resolve) => setTimeout(resolve, 1_050));
        expect(await isSignedIn(used)).toBe(true);
      }
      expect(await isSignedIn(unused)).toBe(false);
      gateway.clock.aheadMs = 31 * DAY_MS;
      await poll(() => isSignedIn(used)).toBe(false);
      expect(await gateway.records.sessions.purge()).toBeGreaterThan(0);
    } finally {
      gateway.clock.aheadMs = 0;
    }
  });

  test('is stored as a hash, and appears in no log', async () => {
    const cookie = await signIn();
    await send('GET', '/v1/credits', { cookie });
    const token = cookie.split('=')[1]!;
    const { rows } = await gateway.database.orm.execute('select * from sessions');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(gateway.logged()).not.toContain(token);
    expect(gateway.logged()).not.toContain(gateway.key);
  });
});

describe('a sign-in link from the terminal', () => {
  async function link(): Promise<string> {
    const { url } = await createOperatorCommands({
      ...gateway.records,
      accounts: { ...gateway.records.accounts, initial: () => Promise.resolve(gateway.account) },
      publicUrl: 'http://burnish.test',
      operatorKey: OPERATOR_KEY,
      client: undefined,
      now: Date.now,
    }).signInLink();
    expect(url).toMatch(/^http:\/\/burnish\.test\/sign-in#token=[\w-]{43}$/);
    return url.split('=')[1]!;
  }

  test('signs in once, with its own key, which is listed and ends the session when deleted', async () => {
    const token = await link();
    const tries = await Promise.all([1, 2, 3].map(() => send('POST', '/session', { body: { token } })));
    expect(tries.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
    const cookie = cookieOf(tries.find(({ status }) => status === 201)!);
    const second = await signIn({ token: await link() });

    const { items } = await (await send('GET', '/v1/api-keys?includeInternal=true', { cookie })).json();
    const own = items.filter(({ name }: { name: string }) => name === 'Dashboard');
    expect(own).toHaveLength(1);
    await gateway.fetch(`/v1/api-keys/${own[0].id}`, { method: 'DELETE' });
    expect([await isSignedIn(cookie), await isSignedIn(second)]).toEqual([false, false]);
  });

  test('expires after a quarter of an hour', async () => {
    const token = await link();
    gateway.clock.aheadMs = 15 * 60_000;
    try {
      expect((await send('POST', '/session', { body: { token } })).status).toBe(401);
    } finally {
      gateway.clock.aheadMs = 0;
    }
  });

  test('is stored as a hash, and opening its page does not use it up', async () => {
    const token = await link();
    const { rows } = await gateway.database.orm.execute('select * from sign_in_links');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect((await send('GET', '/sign-in')).status).toBe(200);
    await signIn({ token });
    expect(gateway.logged()).not.toContain(token);
  });
});
