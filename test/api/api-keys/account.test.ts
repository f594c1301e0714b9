import { beforeEach, describe, expect, test } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { MAX_API_KEYS } from '@burnish/contract';
import { insertApiKey, mintApiKey } from '../../../src/database/accounts/api-keys.ts';
import { apiKeys as apiKeysTable } from '../../../src/database/schema/accounts.ts';
import { useGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);

beforeEach(() => {
  gateway.temporal.updates.length = 0;
});

const makeKey = async (name: string) => (await send('POST', '/v1/api-keys', { body: { name } })).json();

describe('/v1/api-keys', () => {
  test('creates a key, shows it once, accepts it at once and stores its hash', async () => {
    const response = await send('POST', '/v1/api-keys', { body: { name: '  Production ' } });
    const { key, ...shown } = await response.json();
    expect([response.status, response.headers.get('location')]).toEqual([201, `/v1/api-keys/${shown.id}`]);
    expect(shown).toMatchObject({ name: 'Production', lastUsedAt: null, prefix: key.slice(0, 8) });
    expect((await send('GET', '/v1/credits', { key })).status).toBe(200);
    const listed = await (await send('GET', '/v1/api-keys')).json();
    const used = listed.items.find(({ id }: { id: string }) => id === shown.id);
    expect(used).toEqual({ ...shown, lastUsedAt: expect.any(String), lastUsedAddress: '127.0.0.1' });
    expect(await (await send('GET', `/v1/api-keys/${shown.id}`)).json()).toEqual(used);
    expect(JSON.stringify(await gateway.database.orm.select().from(apiKeysTable))).not.toContain(key);
    expect(gateway.logged()).not.toContain(key);
  });

  test('a deleted key is refused from the next request on, also if it deleted itself', async () => {
    const { id, key } = await makeKey('Short-lived');
    expect((await send('DELETE', `/v1/api-keys/${id}`, { key })).status).toBe(204);
    expect((await send('GET', '/v1/credits', { key })).status).toBe(401);
    expect((await send('DELETE', `/v1/api-keys/${id}`)).status).toBe(404);
  });

  test('lists and deletes only the keys of the own account', async () => {
    const { id } = await makeKey('Mine');
    const { foreignKey: key } = gateway;
    const listed = await (await send('GET', '/v1/api-keys', { key })).json();
    expect(listed.items.map(({ name }: { name: string }) => name)).toEqual(['Foreign key']);
    expect((await send('GET', `/v1/api-keys/${id}`, { key })).status).toBe(404);
    expect((await send('DELETE', `/v1/api-keys/${id}`, { key })).status).toBe(404);
    expect((await send('GET', `/v1/api-keys/${id}`)).status).toBe(200);
  });

  test('limits the number of keys', async () => {
    const { orm } = gateway.database;
    const accountId = gateway.account.id;
    const missing = MAX_API_KEYS - 2 - (await orm.$count(apiKeysTable, eq(apiKeysTable.accountId, accountId)));
    for (let i = 0; i < missing; i += 1)
      await insertApiKey(orm, { accountId, name: `Many ${i}`, key: mintApiKey(), nowMs: Date.now() });
    // Few enough that none waits too long for a connection to the database.
    const made = await Promise.all(['one', 'two', 'three', 'four'].map((name) => makeKey(name)));
    expect(made.map(({ code }) => code).sort()).toEqual(['BAD_USER_INPUT', 'BAD_USER_INPUT', undefined, undefined]);
  });

  test.each([
    ['no body', undefined, undefined],
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a blank name', { name: '   ' }, 'name'],
    ['a huge name', { name: 'x'.repeat(101) }, 'name'],
    ['a name with a null byte', { name: 'a\0' }, 'name'],
    ['a name with half a surrogate pair', { name: '\ud800' }, 'name'],
    ['a number', { name: 1 }, 'name'],
    ['an unknown field', { name: 'x', account: 'acc_1' }, 'account'],
  ])('refuses %s', async (_what, body, field) => {
    const response = await send('POST', '/v1/api-keys', { body });
    const problem = await response.json();
    expect([response.status, problem.code, problem.field]).toEqual([400, 'BAD_USER_INPUT', field]);
  });
});

describe('/v1/settings', () => {
  test('changes the retention of new uploads and not of existing ones', async () => {
    const before = await storedUpload(gateway);
    expect(await (await send('GET', '/v1/settings')).json()).toEqual({ uploadRetentionDays: 30 });
    const changed = await send('PATCH', '/v1/settings', { body: { uploadRetentionDays: 7 }, once: 'days-1' });
    expect([changed.status, await changed.json()]).toEqual([200, { uploadRetentionDays: 7 }]);
    expect(await (await send('GET', '/v1/settings')).json()).toEqual({ uploadRetentionDays: 7 });
    const made = await send('POST', '/v1/uploads', { body: { source: { url: 'https://example.com/a.jpg' } } });
    expect((await made.json()).retentionDays).toBe(7);
    expect((await (await send('GET', `/v1/uploads/${before.id}`)).json()).retentionDays).toBe(30);
    expect(await (await send('GET', '/v1/settings', { key: gateway.foreignKey })).json()).toEqual({
      uploadRetentionDays: 30,
    });
  });

  test('changes once under one idempotency key: a late repetition does not undo a newer change', async () => {
    await send('PATCH', '/v1/settings', { body: { uploadRetentionDays: 10 }, once: 'days-2' });
    await send('PATCH', '/v1/settings', { body: { uploadRetentionDays: 20 } });
    const late = await send('PATCH', '/v1/settings', { body: { uploadRetentionDays: 10 }, once: 'days-2' });
    expect(await late.json()).toEqual({ uploadRetentionDays: 20 });
    const other = await send('PATCH', '/v1/settings', { body: { uploadRetentionDays: 11 }, once: 'days-2' });
    expect((await other.json()).field).toBe('Idempotency-Key');
  });

  test.each([
    [undefined, undefined],
    [{}, 'uploadRetentionDays'],
    [{ uploadRetentionDays: 0 }, 'uploadRetentionDays'],
    [{ uploadRetentionDays: 366 }, 'uploadRetentionDays'],
    [{ uploadRetentionDays: 1.5 }, 'uploadRetentionDays'],
    [{ uploadRetentionDays: '7' }, 'uploadRetentionDays'],
    [{ uploadRetentionDays: 7, plan: 'BUSINESS' }, 'plan'],
  ])('refuses %j', async (body, field) => {
    const response = await send('PATCH', '/v1/settings', { body });
    const problem = await response.json();
    expect([response.status, problem.code, problem.field]).toEqual([400, 'BAD_USER_INPUT', field]);
  });
});

describe('POST /v1/uploads/delete', () => {
  const remove = (ids: unknown, once?: string) =>
    send('POST', '/v1/uploads/delete', { body: { ids }, ...(once === undefined ? {} : { once }) });

  test('deletes each upload of the account once, and skips unknown, foreign and malformed ids', async () => {
    const [one, two, deleted] = [
      await storedUpload(gateway),
      await storedUpload(gateway),
      await storedUpload(gateway, { status: 'UPLOAD_DELETED' }),
    ];
    const foreign = await storedUpload(gateway, { id: `upl_${'9'.repeat(26)}`, accountId: `acc_${'0'.repeat(26)}` });
    gateway.temporal.onUpdate = () => ({ ...one, status: 'UPLOAD_DELETED' });
    const strangers = [foreign.id, `upl_${'7'.repeat(26)}`, 'a\0', "' or 1=1", '💩', ''];
    const response = await remove([two.id, ...strangers, one.id, one.id, deleted.id]);
    expect([response.status, await response.json()]).toEqual([200, { deletedUploadIds: [two.id, one.id, deleted.id] }]);
    expect(gateway.temporal.updates.map(({ name, workflowId }) => `${name} ${workflowId}`).toSorted()).toEqual(
      [one, two].map(({ id }) => `deleteUpload upload/${id}`).toSorted(),
    );
  });

  test('sends the same update under the same idempotency key, and refuses another list', async () => {
    const upload = await storedUpload(gateway);
    gateway.temporal.onUpdate = () => ({ ...upload, status: 'UPLOAD_DELETED' });
    for (let i = 0; i < 2; i += 1) expect((await remove([upload.id], 'bulk-1')).status).toBe(200);
    const [first, second] = gateway.temporal.updates;
    expect(second!.updateId).toBe(first!.updateId);
    expect((await (await remove([], 'bulk-1')).json()).field).toBe('Idempotency-Key');
  });

  test.each([
    ['no list', undefined, 'ids'],
    ['a text', 'upl_1', 'ids'],
    ['101 ids', Array.from({ length: 101 }, () => 'upl_1'), 'ids'],
    ['a number', [1], 'ids[0]'],
    ['a huge id', ['x'.repeat(101)], 'ids[0]'],
  ])('refuses %s', async (_what, ids, field) => {
    const response = await remove(ids);
    expect([response.status, (await response.json()).field]).toEqual([400, field]);
    expect(gateway.temporal.updates).toEqual([]);
  });
});

test('GET /v1/credits/entries pages through the ledger of the account', async () => {
  const { ledger } = gateway.records;
  const { id: accountId } = gateway.account;
  const nowMs = Date.now();
  for (let i = 0; i < 3; i += 1) await ledger.topUp({ accountId, credits: 10 + i, reference: `inv-${i}`, nowMs });
  const seen: { kind: string; change: number; remaining: number }[] = [];
  let after: string | null = '';
  while (after !== null) {
    const page: { items: typeof seen; next: string | null } = await (
      await send('GET', `/v1/credits/entries?limit=2${after === '' ? '' : `&after=${after}`}`)
    ).json();
    seen.push(...page.items);
    after = page.next;
  }
  expect(seen.map(({ kind, change, remaining }) => [kind, change, remaining])).toEqual([
    ['top_up', 12, 133],
    ['top_up', 11, 121],
    ['top_up', 10, 110],
    ['grant', 100, 100],
  ]);
  expect(await (await send('GET', '/v1/credits/entries', { key: gateway.foreignKey })).json()).toEqual({
    items: [],
    next: null,
  });
  expect((await send('GET', '/v1/credits/entries?after=x')).status).toBe(400);
});

test('GET /v1/version returns the versions of Burnish and of its engine', async () => {
  expect(await (await send('GET', '/v1/version')).json()).toEqual({ version: '0.0.0-test', engineVersion: '12.test' });
});
