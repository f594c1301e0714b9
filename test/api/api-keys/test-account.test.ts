import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { FAILURES } from '@burnish/contract';
import { graphql } from '../graphql/support.ts';
import { OPERATOR_KEY, useGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';
import { until } from '../../support/until.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);
const operator = (method: string, path: string, body?: unknown) =>
  send(method, `/v1/operator${path}`, { key: OPERATOR_KEY, ...(body === undefined ? {} : { body }) });

/** A new account with a test key, and the id of its test account. */
async function made(name: string, more: object = {}) {
  const { account, apiKey } = await (await operator('POST', '/accounts', { name, ...more })).json();
  const created = await send('POST', '/v1/api-keys', { key: apiKey, body: { name: 'CI', test: true } });
  const { key } = (await created.json()) as { key: string };
  const test = (await gateway.records.accounts.testAccount(account.id))!;
  return { id: account.id as string, liveKey: apiKey as string, key, test };
}

test('one test account serves all test keys of an account, and has credits of its own', async () => {
  const { id, liveKey, key, test: own } = await made('Tested', { creditsPerPeriod: 7 });
  expect(own).toMatchObject({ name: 'Tested (test)', testOf: id, creditsPerPeriod: 1_000_000 });
  const document = 'mutation { createApiKey(name: "Two", test: true) { key apiKey { test prefix } } }';
  const second = await graphql(gateway, document, { key: liveKey });
  expect(second.data).toMatchObject({
    createApiKey: { apiKey: { test: true, prefix: expect.stringMatching(/^bk_test_/) } },
  });
  expect(await gateway.records.accounts.testAccount(id)).toEqual(own);
  const granted = async (by: string) =>
    (await (await send('GET', '/v1/credits', { key: by })).json()).remainingCreditsThisPeriod as number;
  expect([await granted(liveKey), await granted(key)]).toEqual([7, 1_000_000]);
  const { items } = await (await operator('GET', '/accounts?limit=500')).json();
  const shown = (items as { id: string; testOf: string | null }[]).map((each) => [each.id, each.testOf]);
  expect(shown).toEqual(
    expect.arrayContaining([
      [own.id, id],
      [id, null],
    ]),
  );
});

test('a test key cannot see, create or delete a live key', async () => {
  const { liveKey, key } = await made('Apart');
  const { items } = await (await send('GET', '/v1/api-keys', { key: liveKey })).json();
  const live = (items as { id: string; test: boolean }[]).find(({ test: isTest }) => !isTest)!;
  expect((await send('GET', `/v1/api-keys/${live.id}`, { key })).status).toBe(404);
  expect((await send('DELETE', `/v1/api-keys/${live.id}`, { key })).status).toBe(404);
  const another = await send('POST', '/v1/api-keys', { key, body: { name: 'Live?', test: false } });
  expect(await another.json()).toMatchObject({ test: true, key: expect.stringMatching(/^bk_test_/) });
});

test('the test account follows the plan, the suspension and the deletion of its account', async () => {
  const { id, key, test: own } = await made('Followed');
  await operator('PATCH', `/accounts/${id}`, { plan: 'BUSINESS', creditsPerPeriod: 3, name: 'Renamed' });
  const now = () => gateway.records.accounts.get(own.id);
  expect(await now()).toMatchObject({ plan: 'BUSINESS', creditsPerPeriod: 1_000_000, name: 'Followed (test)' });
  await operator('POST', `/accounts/${id}/suspend`);
  expect((await send('POST', '/v1/uploads', { key })).status).toBe(403);
  await operator('POST', `/accounts/${id}/resume`);
  expect((await send('GET', '/v1/credits', { key })).status).toBe(200);
  await operator('DELETE', `/accounts/${id}`);
  expect((await send('DELETE', '/v1/api-keys/key_x', { key })).status).toBe(401);
  expect((await now())!.deletedAt).not.toBeNull();
  expect(await gateway.records.deletion.open(500)).toEqual(expect.arrayContaining([id, own.id]));
});

test('a refusal on request has status, code and time to retry, and changes nothing', async () => {
  const { key, test: own } = await made('Refused');
  const upload = await storedUpload(gateway, { accountId: own.id, provider: 'test' });
  for (const code of ['RATE_LIMITED', 'ACCOUNT_SUSPENDED'] as const) {
    const body = { enhancements: [{ reference: `test:${code}` }] };
    const refused = await send('POST', `/v1/uploads/${upload.id}/enhancements`, { key, body });
    const { httpStatus, retryable } = FAILURES[code];
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([httpStatus, retryable ? '1' : null]);
    expect((await refused.json()).code).toBe(code);
  }
  expect(gateway.temporal.updates).toEqual([]);
});

test('an advance of the clock reaches the uploads of the test account once for each idempotency key', async () => {
  const { liveKey, key, test: own } = await made('Clocked');
  const upload = await storedUpload(gateway, { accountId: own.id, provider: 'test' });
  const body = { seconds: 86_400 };
  const advance = (by: string, seconds = body.seconds) =>
    send('POST', '/v1/test/clock', { key: by, body: { seconds }, once: 'a-day' });
  const live = await advance(liveKey);
  expect([live.status, (await live.json()).code]).toEqual([403, 'FORBIDDEN']);
  gateway.temporal.signals.length = 0;
  for (const answer of [await advance(key), await advance(key)]) {
    expect([answer.status, await answer.json()]).toEqual([200, body]);
  }
  expect(gateway.temporal.signals).toEqual([`clockAdvanced upload/${upload.id}`]);
  const other = await advance(key, 60);
  expect([other.status, (await other.json()).code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  for (const seconds of [0, 1.5, 34_560_001]) {
    expect((await send('POST', '/v1/test/clock', { key, body: { seconds } })).status).toBe(400);
  }
});

test('advances of a test account run one at a time, and wake its uploads at a bounded rate', async () => {
  const { key, test: own } = await made('Advanced');
  const uploads = 50;
  for (let count = 0; count < uploads; count += 1) {
    await storedUpload(gateway, { accountId: own.id, provider: 'test' });
  }
  const { signals } = gateway.temporal;
  signals.length = 0;
  const advance = (once: string) => send('POST', '/v1/test/clock', { key, body: { seconds: 60 }, once });
  const startedAt = performance.now();
  const first = advance('first');
  await until(() => (signals.length > 0 ? true : undefined));
  const others = await Promise.all(Array.from({ length: 5 }, (_, index) => advance(`other-${index}`)));
  for (const other of others) {
    expect([other.status, (await other.json()).code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(other.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  for (; signals.length < uploads; await pause(50)) {
    // A quarter of a second wakes ten.
    const [count, quarters] = [signals.length, (performance.now() - startedAt) / 250];
    expect(count).toBeLessThanOrEqual(10 * (quarters + 1));
  }
  expect((await first).status).toBe(200);
  expect(signals).toHaveLength(uploads);
  // A refused request has not used its key.
  expect((await advance('other-0')).status).toBe(200);
  expect(signals).toHaveLength(2 * uploads);
});

test('reports of usage leave the test account out unless they name it', async () => {
  const { test: own } = await made('Counted');
  const upload = await storedUpload(gateway, { accountId: own.id, provider: 'test' });
  const finishedAt = new Date().toISOString();
  await storedEnhancement(gateway, upload, { accountId: own.id, status: 'ERROR', finishedAt });
  const accountsIn = async (query: string): Promise<string[]> => {
    const { items } = await (await operator('GET', `/usage${query}`)).json();
    return (items as { accountId: string }[]).map(({ accountId }) => accountId);
  };
  expect(await accountsIn('')).not.toContain(own.id);
  expect(await accountsIn(`?accountId=${own.id}`)).toEqual([own.id]);
});
