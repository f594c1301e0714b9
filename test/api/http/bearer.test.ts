import { describe, expect, test } from '@jest/globals';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();

const read = async (headers: Record<string, string>) =>
  (await gateway.fetch('/v1/credits', { key: null, headers })).status;

describe('a key in Authorization: Bearer', () => {
  test('is as valid as one in x-api-key', async () => {
    expect(await read({ Authorization: `Bearer ${gateway.key}` })).toBe(200);
    expect(await read({ Authorization: `bearer ${gateway.key}` })).toBe(200);
    const response = await gateway.fetch('/graphql', {
      method: 'POST',
      key: null,
      headers: { Authorization: `Bearer ${gateway.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: 'mutation { updateFileRetention(days: 9) { uploadRetentionDays } }' }),
    });
    expect(await response.json()).toEqual({ data: { updateFileRetention: { uploadRetentionDays: 9 } } });
  });

  test.each([
    ['a wrong key', 'Bearer bk_wrong'],
    ['no key', 'Bearer'],
    ['another scheme', 'Basic YTpi'],
  ])('is refused with %s, and the answer names both headers', async (_what, authorization) => {
    const response = await gateway.fetch('/v1/credits', { key: null, headers: { Authorization: authorization } });
    expect([response.status, (await response.json()).code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(response.headers.get('www-authenticate')).toBe(
      'ApiKey realm="burnish", header="x-api-key", Bearer realm="burnish"',
    );
  });

  test('is ignored if x-api-key is present', async () => {
    expect(await read({ Authorization: `Bearer ${gateway.key}`, 'x-api-key': 'bk_wrong' })).toBe(401);
    expect(await read({ Authorization: 'Bearer bk_wrong', 'x-api-key': gateway.key })).toBe(200);
  });
});
