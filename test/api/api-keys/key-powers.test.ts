import { describe, expect, test } from '@jest/globals';
import { SCOPES } from '@burnish/contract';
import { graphql, refusal } from '../graphql/support.ts';
import { useGateway } from '../support/gateway.ts';
import { jsonRequests } from '../support/requests.ts';
import { poll } from '../../support/poll.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);
const DAY_MS = 86_400_000;
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

describe('a new API key', () => {
  test('has the scopes and expiry of the requesting key, unless the request states others', async () => {
    const all = await (await send('POST', '/v1/api-keys', { body: { name: 'All' } })).json();
    expect(all).toMatchObject({ scopes: [...SCOPES], expiresAt: null, lastUsedAddress: null });
    const expiresAt = inDays(2);
    const some = await (
      await send('POST', '/v1/api-keys', { body: { name: 'Some', scopes: ['keys', 'read', 'keys'], expiresAt } })
    ).json();
    expect(some).toMatchObject({ scopes: ['read', 'keys'], expiresAt });
    const child = await (await send('POST', '/v1/api-keys', { body: { name: 'Child' }, key: some.key })).json();
    expect(child).toMatchObject({ scopes: ['read', 'keys'], expiresAt });
    const twin = await send('POST', '/v1/api-keys', { body: { name: 'Twin', expiresAt }, key: some.key });
    expect(await twin.json()).toMatchObject({ scopes: ['read', 'keys'], expiresAt });
    const shown = await (await send('GET', `/v1/api-keys/${some.id}`)).json();
    expect(shown).toMatchObject({ scopes: ['read', 'keys'], expiresAt, lastUsedAddress: '127.0.0.1' });
  });

  test.each([
    ['a scope that its maker has not', { scopes: ['keys', 'admin'] }, 'scopes'],
    ['a later end than its maker', { expiresAt: inDays(3) }, 'expiresAt'],
    ['no end, where its maker has one', { expiresAt: null }, 'expiresAt'],
  ])('is never stronger than the key that created it: %s', async (_what, wanted, field) => {
    const powers = { scopes: ['read' as const, 'keys' as const], expiresAt: inDays(2) };
    const { key } = await gateway.records.apiKeys.create(gateway.account.id, 'Weak', powers);
    const before = (await gateway.records.apiKeys.list(gateway.account.id, { includeInternal: true })).length;
    const refused = await send('POST', '/v1/api-keys', { body: { name: 'Strong', ...wanted }, key });
    expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'FORBIDDEN', field }]);
    // In GraphQL null says no more than an absent argument.
    if (!('expiresAt' in wanted && wanted.expiresAt === null)) {
      const answer = await graphql(
        gateway,
        'mutation ($scopes: [ApiKeyScope!], $expiresAt: DateTime) { createApiKey(name: "Strong", scopes: $scopes, expiresAt: $expiresAt) { key } }',
        { variables: wanted, key },
      );
      expect(refusal(answer)).toEqual(['FORBIDDEN', field]);
    }
    expect((await gateway.records.apiKeys.list(gateway.account.id, { includeInternal: true })).length).toBe(before);
  });

  test.each([
    ['no scope', { scopes: [] }, 'scopes'],
    ['an unknown scope', { scopes: ['root'] }, 'scopes[0]'],
    ['a time that is over', { expiresAt: '2020-01-01T00:00:00.000Z' }, 'expiresAt'],
    ['no time', { expiresAt: 'tomorrow' }, 'expiresAt'],
  ])('is refused with %s', async (_what, wanted, field) => {
    const refused = await send('POST', '/v1/api-keys', { body: { name: 'Odd', ...wanted } });
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'BAD_USER_INPUT', field }]);
  });

  test('has the same powers if it is created in GraphQL', async () => {
    const { data, errors } = await graphql(
      gateway,
      `mutation { createApiKey(name: "Reader", scopes: [read], expiresAt: "${inDays(1)}") { apiKey { scopes expiresAt lastUsedAddress } } }`,
    );
    expect(errors).toBeUndefined();
    expect(data.createApiKey.apiKey).toMatchObject({ scopes: ['read'], lastUsedAddress: null });
  });
});

test('a key deletes no key with scopes that it lacks, and can delete itself', async () => {
  const { apiKeys } = gateway.records;
  const strong = await apiKeys.create(gateway.account.id, 'Strong', { scopes: [...SCOPES] });
  const weak = await apiKeys.create(gateway.account.id, 'Weak', { scopes: ['keys'] });
  const refused = await send('DELETE', `/v1/api-keys/${strong.apiKey.id}`, { key: weak.key });
  expect([refused.status, (await refused.json()).code]).toEqual([403, 'FORBIDDEN']);
  const answer = await graphql(gateway, `mutation { deleteApiKey(id: "${strong.apiKey.id}") { deletedId } }`, {
    key: weak.key,
  });
  expect(refusal(answer)).toEqual(['FORBIDDEN', undefined]);
  expect(await apiKeys.get(gateway.account.id, strong.apiKey.id)).toBeDefined();
  expect((await send('DELETE', `/v1/api-keys/${weak.apiKey.id}`, { key: weak.key })).status).toBe(204);
});

test('an expired key is refused, and so are its sessions', async () => {
  const { apiKeys, sessions } = gateway.records;
  const { key, apiKey } = await apiKeys.create(gateway.account.id, 'Short', {
    expiresAt: new Date(Date.now() + 1500).toISOString(),
  });
  const token = await sessions.open(apiKey.id);
  const asSession = () => gateway.fetch('/v1/credits', { key: null, headers: { Cookie: `burnish_session=${token}` } });
  expect((await send('GET', '/v1/credits', { key })).status).toBe(200);
  expect((await asSession()).status).toBe(200);
  await poll(async () => (await send('GET', '/v1/credits', { key })).status).toBe(401);
  await poll(async () => (await asSession()).status).toBe(401);
});

test('a session has the powers of its key', async () => {
  const { apiKeys, sessions } = gateway.records;
  const { apiKey } = await apiKeys.create(gateway.account.id, 'Reader', { scopes: ['read'] });
  const headers = { Cookie: `burnish_session=${await sessions.open(apiKey.id)}`, 'x-burnish-session': '1' };
  expect((await gateway.fetch('/v1/credits', { key: null, headers })).status).toBe(200);
  const refused = await gateway.fetch('/v1/api-keys', { key: null, headers });
  expect([refused.status, (await refused.json()).code]).toEqual([403, 'FORBIDDEN']);
  const session = await (await gateway.fetch('/session', { key: null, headers })).json();
  expect(session.key).toEqual({ id: apiKey.id, name: 'Reader', scopes: ['read'] });
});

test('a sign-in link has all scopes, although another key has the same name', async () => {
  const { apiKeys, signInLinks, sessions } = gateway.records;
  await apiKeys.create(gateway.account.id, 'Dashboard', { scopes: ['read'] });
  const { token } = await signInLinks.create(gateway.account.id, 60_000);
  const { session } = (await signInLinks.redeem(token))!;
  expect(await sessions.authenticate(session)).toMatchObject({ scopes: [...SCOPES], expiresAt: null });
});

test('keys that Burnish created for itself are hidden by default, and marked where they are listed', async () => {
  const { apiKeys, signInLinks } = gateway.records;
  const { apiKey } = await apiKeys.create(gateway.account.id, 'Commands on this machine', { internal: true });
  const { token } = await signInLinks.create(gateway.account.id, 60_000);
  const { keyId } = (await signInLinks.redeem(token))!;
  const idsAt = async (path: string): Promise<string[]> => {
    const { items } = await (await send('GET', path)).json();
    const listed = items as { id: string; internal: boolean }[];
    for (const each of listed) expect(each.internal).toBe([apiKey.id, keyId].includes(each.id));
    return listed.map(({ id }) => id);
  };
  const shown = await idsAt('/v1/api-keys');
  expect(shown.filter((id) => [apiKey.id, keyId].includes(id))).toEqual([]);
  expect(await idsAt('/v1/api-keys?includeInternal=false')).toEqual(shown);
  expect((await idsAt('/v1/api-keys?includeInternal=true')).toSorted()).toEqual(
    [...shown, apiKey.id, keyId].toSorted(),
  );
  expect((await send('GET', '/v1/api-keys?includeInternal=yes')).status).toBe(400);
  const { data } = await graphql(
    gateway,
    '{ some: apiKeys { id internal } all: apiKeys(includeInternal: true) { id internal } }',
  );
  expect(data.some.map(({ id }: { id: string }) => id)).toEqual(shown);
  expect(data.all).toContainEqual({ id: apiKey.id, internal: true });
  expect(data.all).toHaveLength(shown.length + 2);
});
