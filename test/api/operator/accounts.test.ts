import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '@burnish/contract';
import { deleteAccounts } from '../../../src/api/reconcile/delete-accounts.ts';
import { graphql } from '../graphql/support.ts';
import { OPERATOR_KEY, type TestResponse, useGateway } from '../support/gateway.ts';
import { webhookEvents } from '../../../src/database/schema/webhooks.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);
const operator = (method: string, path: string, body?: unknown): Promise<TestResponse> =>
  send(method, `/v1/operator${path}`, { key: OPERATOR_KEY, ...(body === undefined ? {} : { body }) });

let names = 0;
/** A fresh account with its key. */
async function made(more: object = {}): Promise<{ id: string; key: string; name: string }> {
  const name = `Account ${(names += 1)}`;
  const response = await operator('POST', '/accounts', { name, ...more });
  expect(response.status).toBe(201);
  const { account, apiKey } = await response.json();
  expect(response.headers.get('location')).toBe(`/v1/operator/accounts/${account.id}`);
  return { id: account.id, key: apiKey, name };
}

/** Orders an enhancement of a PDF with a target, by the key of an account. */
async function statusOfTarget(accountId: string, key: string, targetResolution: number): Promise<unknown[]> {
  const file = { size: 30_000, sha256: 'ab'.repeat(32), mimetype: 'application/pdf' as const };
  const upload = await storedUpload(gateway, { accountId, file });
  const response = await send('POST', `/v1/uploads/${upload.id}/enhancements`, {
    key,
    body: { enhancements: [{ targetResolution }] },
  });
  const { code, detail } = await response.json();
  return [code, detail];
}

describe("the operator's key", () => {
  test('opens /v1/operator, and no key of an account does', async () => {
    expect((await operator('GET', '/accounts')).status).toBe(200);
    const headers = { Authorization: `Bearer ${OPERATOR_KEY}` };
    expect((await gateway.fetch('/v1/operator/accounts', { key: null, headers })).status).toBe(200);
    for (const key of [gateway.key, gateway.foreignKey, 'bk_guess', null]) {
      const refused = await send('GET', '/v1/operator/accounts', { key });
      expect([refused.status, (await refused.json()).code]).toEqual([401, 'UNAUTHENTICATED']);
    }
  });

  test('opens nothing of an account, neither in REST nor in GraphQL', async () => {
    expect((await send('GET', '/v1/credits', { key: OPERATOR_KEY })).status).toBe(401);
    const answer = await graphql(gateway, '{ credits { remainingCreditsThisPeriod } }', { key: OPERATOR_KEY });
    expect(answer.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  test('signs in at the dashboard, and its session opens only the operator pages until it ends', async () => {
    const signIn = await send('POST', '/session', { key: null, body: { apiKey: OPERATOR_KEY } });
    expect([signIn.status, await signIn.json()]).toMatchObject([201, { operator: true }]);
    const cookie = signIn.headers.get('set-cookie')!.split(';')[0]!;
    const ask = (path: string, init: RequestInit = {}) =>
      gateway.fetch(path, { key: null, ...init, headers: { cookie, ...init.headers } });
    expect((await ask('/v1/operator/accounts')).status).toBe(200);
    expect((await (await ask('/session')).json()).operator).toBe(true);
    expect((await ask('/v1/uploads')).status).toBe(401);
    expect((await ask(`/v1/operator/accounts/${gateway.account.id}/suspend`, { method: 'POST' })).status).toBe(401);
    const foreign = { 'sec-fetch-site': 'cross-site' };
    expect((await ask('/v1/operator/accounts', { headers: foreign })).status).toBe(401);
    expect((await ask('/session', { method: 'DELETE' })).status).toBe(204);
    expect((await ask('/v1/operator/accounts')).status).toBe(401);
  });
});

describe('the operator of several accounts', () => {
  test('creates an account with a valid key, and sees it in the list', async () => {
    const { id, key, name } = await made({ plan: 'BASIC' });
    const credits = await (await send('GET', '/v1/credits', { key })).json();
    expect(credits).toMatchObject({ remainingCreditsThisPeriod: 10_000 });
    const { items } = await (await operator('GET', '/accounts?limit=1')).json();
    expect(items).toMatchObject([{ id, name, plan: 'BASIC', status: 'ACTIVE', effective: { jobsAtOnce: 5000 } }]);
    expect(JSON.stringify(items)).not.toContain('whsec_');
    const first = await (await operator('GET', '/accounts?limit=2')).json();
    const rest = await (await operator('GET', `/accounts?limit=2&after=${first.next}`)).json();
    expect(rest.items.map((each: { id: string }) => each.id)).not.toContain(first.items[1].id);
  });

  test('cannot create two accounts with one name, or an account on an unknown plan', async () => {
    const { name } = await made();
    const again = await operator('POST', '/accounts', { name });
    expect([again.status, (await again.json()).field]).toEqual([400, 'name']);
    const planless = await operator('POST', '/accounts', { name: 'New', plan: 'GOLD' });
    expect(planless.status).toBe(400);
    expect(await planless.json()).toMatchObject({
      detail: 'There is no plan GOLD.',
      remedy: 'Choose one of BASIC, BUSINESS, FREE.',
    });
  });

  test('moves an account to another plan, whose cap and credits apply from the next request on', async () => {
    const { id, key } = await made();
    expect(await statusOfTarget(id, key, 600)).toEqual([
      'TARGET_RESOLUTION_EXCEEDS_PLAN',
      'Target resolution 600 DPI exceeds the cap of plan Free, 300 DPI.',
    ]);
    expect((await operator('PATCH', `/accounts/${id}`, { plan: 'BUSINESS' })).status).toBe(200);
    expect((await statusOfTarget(id, key, 600))[0]).not.toBe('TARGET_RESOLUTION_EXCEEDS_PLAN');
    expect(await (await send('GET', '/v1/credits', { key })).json()).toMatchObject({
      remainingCreditsThisPeriod: 100_000,
    });
  });

  test('adds the difference of a higher plan at once, and a lower plan takes nothing back', async () => {
    const { id, key } = await made({ plan: 'FREE' });
    const enhancementId = newId('enh', Date.now());
    const use = { accountId: id, enhancementId, credits: 400, nowMs: Date.now() };
    await gateway.records.ledger.reserve(use);
    await gateway.records.ledger.capture(use);
    const left = async (): Promise<number> =>
      (await (await send('GET', '/v1/credits', { key })).json()).remainingCreditsThisPeriod;
    const after = [await left()];
    for (const plan of ['BASIC', 'FREE', 'BASIC']) {
      expect((await operator('PATCH', `/accounts/${id}`, { plan })).status).toBe(200);
      after.push(await left());
    }
    expect(after).toEqual([600, 9600, 9600, 9600]);
    const { items } = await (await send('GET', '/v1/credits/entries', { key })).json();
    const lines = items.map(({ kind, change, remaining }: Record<string, unknown>) => [kind, change, remaining]);
    expect(lines).toEqual([
      ['grant', 9000, 9600],
      ['enhancement', -400, 600],
      ['grant', 1000, 1000],
    ]);
  });

  test('adds credits once for each reference', async () => {
    const { id } = await made({ creditsPerPeriod: 5 });
    const order = { credits: 7, reference: 'inv-9' };
    for (const added of [true, false]) {
      const response = await operator('POST', `/accounts/${id}/credits`, order);
      expect(await response.json()).toMatchObject({ added, remainingCreditsThisPeriod: 12 });
    }
  });

  test('sets the limits of uploads of an account', async () => {
    const { id, key } = await made();
    const changed = await (await operator('PATCH', `/accounts/${id}`, { maxRetentionDays: 7 })).json();
    expect([changed.retentionDays, changed.maxRetentionDays]).toEqual([7, 7]);
    const refused = await send('PATCH', '/v1/settings', { key, body: { uploadRetentionDays: 8 } });
    expect([refused.status, (await refused.json()).detail]).toEqual([
      400,
      'The retention is not within the bounds of the plan.',
    ]);
    const inverted = { minRetentionDays: 9, maxRetentionDays: 8 };
    for (const response of [
      await operator('PATCH', `/accounts/${id}`, { minRetentionDays: 9 }),
      await operator('POST', '/accounts', { name: 'Inverted', ...inverted }),
    ]) {
      expect([response.status, (await response.json()).field]).toEqual([400, 'minRetentionDays']);
    }
  });

  test('sets the tiers of an account', async () => {
    const { id, key } = await made({ allowedTiers: ['FAST', 'PLAIN'] });
    const upload = await storedUpload(gateway, { accountId: id });
    const order = (engineTier: string): Promise<TestResponse> =>
      send('POST', `/v1/uploads/${upload.id}/enhancements`, { key, body: { enhancements: [{ engineTier }] } });
    const refused = await (await order('FINE')).json();
    expect([refused.code, refused.field]).toEqual(['BAD_USER_INPUT', 'enhancements[0].engineTier']);
    gateway.temporal.updates.length = 0;
    await order('AUTO');
    expect(gateway.temporal.updates).toMatchObject([{ args: [[{ autoTier: 'FAST' }]] }]);
    const alone = await operator('PATCH', `/accounts/${id}`, { allowedTiers: ['DETAIL'] });
    expect([alone.status, (await alone.json()).field]).toEqual([400, 'allowedTiers']);
  });

  test('sets the request rate and the parallel jobs of an account', async () => {
    const { id, key } = await made({ requestsPerMinute: 3, jobsAtOnce: 1 });
    const upload = await storedUpload(gateway, { accountId: id });
    await storedEnhancement(gateway, upload, { accountId: id, status: 'PROCESSING' });
    const order = await send('POST', `/v1/uploads/${upload.id}/enhancements`, { key, body: { enhancements: [{}] } });
    expect([order.status, (await order.json()).detail]).toEqual([
      429,
      'At most 1 enhancement of the account may wait or run at the same time, and 1 do.',
    ]);
    expect(order.headers.get('retry-after')).toBe('30');
    expect(order.headers.get('ratelimit-policy')).toMatch(/^"account"; q=3; w=60;/);
    const more = [];
    for (let i = 0; i < 3; i += 1) more.push((await send('GET', '/v1/credits', { key })).status);
    expect(more).toEqual([200, 200, 429]);
  });
});

test('a changed plan applies to its accounts from the next request on, and a new plan can be assigned', async () => {
  const plan = {
    name: 'Studio',
    maxResolution: 400,
    creditsPerPeriod: 50,
    requestsPerMinute: 100,
    jobsAtOnce: 10,
    fairnessWeight: 3,
    maxStoredBytes: 1_000_000,
  };
  expect((await operator('PUT', '/plans/STUDIO', plan)).status).toBe(200);
  const { id, key } = await made({ plan: 'STUDIO' });
  expect((await statusOfTarget(id, key, 500))[1]).toBe(
    'Target resolution 500 DPI exceeds the cap of plan Studio, 400 DPI.',
  );
  await operator('PUT', '/plans/STUDIO', { ...plan, maxResolution: 500, creditsPerPeriod: 60 });
  expect((await statusOfTarget(id, key, 500))[0]).not.toBe('TARGET_RESOLUTION_EXCEEDS_PLAN');
  expect((await (await send('GET', '/v1/credits', { key })).json()).remainingCreditsThisPeriod).toBe(60);
  const { items } = await (await operator('GET', '/audit?subjectId=STUDIO')).json();
  expect(items[0]).toMatchObject({
    action: 'plan.define',
    actor: 'operator',
    address: '127.0.0.1',
    details: { maxResolution: 500, maxResolutionBefore: 400 },
  });
  const { items: plans } = await (await operator('GET', '/plans')).json();
  expect(plans.map((each: { id: string }) => each.id)).toEqual(['BASIC', 'BUSINESS', 'FREE', 'STUDIO']);
  const wrongId = await operator('PUT', '/plans/studio', plan);
  expect(wrongId.status).toBe(400);
  expect(await wrongId.json()).toMatchObject({ code: 'BAD_USER_INPUT', field: 'id' });
  expect((await operator('PUT', '/plans/HUGE', { ...plan, maxResolution: 2400 })).status).toBe(400);
});

describe('a suspended account', () => {
  test('is refused everywhere with its own code until it is resumed', async () => {
    const { id, key } = await made();
    const signIn = await send('POST', '/session', { key: null, body: { apiKey: key } });
    const cookie = signIn.headers.get('set-cookie')!.split(';')[0]!;
    expect((await send('GET', '/v1/credits', { key })).status).toBe(200);
    expect(await (await operator('POST', `/accounts/${id}/suspend`)).json()).toMatchObject({ status: 'SUSPENDED' });

    for (const [method, path] of [
      ['GET', '/v1/credits'],
      ['POST', '/v1/uploads'],
    ] as const) {
      const refused = await send(method, path, { key });
      expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'ACCOUNT_SUSPENDED' }]);
    }
    for (const document of [
      '{ credits { usedCreditsThisPeriod } }',
      'mutation { updateFileRetention(days: 3) { __typename } }',
    ]) {
      const answer = await graphql(gateway, document, { key });
      expect(answer.errors).toMatchObject([{ extensions: { code: 'ACCOUNT_SUSPENDED' } }]);
    }
    const atDashboard = await gateway.fetch('/v1/credits', { key: null, headers: { cookie } });
    expect((await atDashboard.json()).code).toBe('ACCOUNT_SUSPENDED');
    const again = await send('POST', '/session', { key: null, body: { apiKey: key } });
    expect([again.status, (await again.json()).code]).toEqual([403, 'ACCOUNT_SUSPENDED']);

    expect(await (await operator('POST', `/accounts/${id}/resume`)).json()).toMatchObject({ status: 'ACTIVE' });
    expect((await send('GET', '/v1/credits', { key })).status).toBe(200);
  });

  test.each([
    ['is suspended', 'POST', '/suspend'],
    ['is deleted', 'DELETE', ''],
  ])('loses its open event streams within seconds after it %s', async (_what, method, path) => {
    const { id, key } = await made();
    const upload = await storedUpload(gateway, { accountId: id });
    const stream = await gateway.fetch(`/v1/uploads/${upload.id}/events`, { key });
    expect(stream.status).toBe(200);
    const ended = stream.text().then(
      () => 'ended',
      () => 'ended',
    );
    expect(await Promise.race([ended, delay(1500, 'open')])).toBe('open');
    expect((await operator(method, `/accounts/${id}${path}`)).status).toBe(200);
    expect(await Promise.race([ended, delay(5000, 'open')])).toBe('ended');
  });
});

describe('a deleted account', () => {
  beforeEach(() => {
    gateway.temporal.onUpdate = () => undefined;
  });

  test('loses its keys at once and its files soon after, and keeps a receipt and its ledger', async () => {
    const { id, key } = await made({ creditsPerPeriod: 5 });
    await send('POST', '/v1/webhooks', { key, body: { url: 'https://example.com/', events: ['upload.deleted'] } });
    await operator('POST', `/accounts/${id}/credits`, { credits: 3, reference: 'inv-1' });
    const upload = await storedUpload(gateway, { accountId: id });
    const result = {
      objectKey: 'r',
      size: 500,
      originalSize: 1_000,
      sha256: 'cd'.repeat(32),
      mimetype: 'image/jpeg' as const,
      filename: 'out.jpg',
      width: 2,
      height: 2,
    };
    const [enhancementId, finishedAt] = [newId('enh', Date.now()), new Date().toISOString()];
    const ended = { accountId: id, status: 'FINISHED', result, chargedCredits: 2, finishedAt } as const;
    const { enhancements, deliveries } = gateway.records;
    const labels = { reference: 'order-4711', customMetadata: { customer: 'Ada' } };
    await enhancements.label(id, null, [{ enhancementId, labels }]);
    await storedEnhancement(gateway, upload, { ...ended, id: enhancementId });
    const event = { id: newId('evt', Date.now()), event: 'upload.deleted' as const, data: {}, created: finishedAt };
    await deliveries.recordEvent(id, event, null, { table: 'enhancements', id: enhancementId });
    const labelled = async (): Promise<string> =>
      JSON.stringify([
        await enhancements.get(id, enhancementId),
        await gateway.database.orm.select().from(webhookEvents),
      ]);
    expect((await labelled()).match(/order-4711|Ada/g)).toHaveLength(4);

    const ordered = await (await operator('DELETE', `/accounts/${id}`)).json();
    expect(ordered).toMatchObject({
      status: 'DELETED',
      deletion: { finishedAt: null, apiKeys: 1, webhookEndpoints: 1 },
    });
    expect((await send('GET', '/v1/credits', { key })).status).toBe(401);

    // The upload's workflow answers the command by leaving a tombstone.
    gateway.temporal.onUpdate = async ({ name }) => {
      expect(name).toBe('deleteUpload');
      const deleted = { status: 'UPLOAD_DELETED', revision: 9, deletedAt: new Date().toISOString() } as const;
      await gateway.records.uploads.project({ ...upload, ...deleted });
      return upload;
    };
    const { deletion, audit } = gateway.records;
    const deps = { client: gateway.temporal.client, deletion, audit, log: { warn: () => undefined }, now: Date.now };
    await deleteAccounts(deps, new AbortController().signal);

    const receipt = await (await operator('GET', `/accounts/${id}`)).json();
    expect(receipt.deletion).toMatchObject({ uploads: 1, results: 1, bytes: 30_500, apiKeys: 1 });
    expect(receipt.deletion.finishedAt).not.toBeNull();
    const { items: lines } = await gateway.records.ledger.lines(id, { limit: 10 });
    expect(lines.map(({ kind, change }) => [kind, change])).toContainEqual(['top_up', 3]);
    const tombstone = await gateway.records.uploads.get(id, upload.id);
    expect(tombstone?.originalFilename).toBe('deleted');
    expect(await labelled()).not.toMatch(/order-4711|Ada/);
    const actions = (await (await operator('GET', `/audit?accountId=${id}`)).json()).items;
    expect(actions.map(({ action }: { action: string }) => action)).toEqual([
      'account.deleted',
      'account.delete',
      'credits.top_up',
      'webhook.create',
      'account.create',
      'api_key.create',
    ]);

    for (const [method, path, body] of [
      ['PATCH', '', { plan: 'BASIC' }],
      ['POST', '/credits', { credits: 1, reference: 'inv-2' }],
      ['POST', '/resume', undefined],
    ] as const) {
      expect((await operator(method, `/accounts/${id}${path}`, body)).status).toBe(404);
    }
    expect((await operator('DELETE', `/accounts/${id}`)).status).toBe(200);
  });
});

describe('the usage report', () => {
  test('counts by account, day and kind, as JSON and as CSV', async () => {
    const { id, name } = await made();
    const photo = await storedUpload(gateway, { accountId: id });
    const pdf = await storedUpload(gateway, {
      accountId: id,
      file: { size: 1, sha256: 'ab'.repeat(32), mimetype: 'application/pdf' },
    });
    const at = (day: string) => ({ accountId: id, finishedAt: `2026-03-${day}T23:59:59.000Z` });
    await storedEnhancement(gateway, photo, { ...at('01'), status: 'FINISHED', chargedCredits: 2 });
    await storedEnhancement(gateway, photo, { ...at('01'), status: 'ERROR' });
    await storedEnhancement(gateway, pdf, { ...at('01'), status: 'FINISHED', chargedCredits: 5 });
    await storedEnhancement(gateway, photo, { ...at('02'), status: 'FINISHED', chargedCredits: 1 });
    const period = `accountId=${id}&since=2026-03-01&until=2026-03-02`;
    const { items } = await (await operator('GET', `/usage?${period}`)).json();
    expect(items).toMatchObject([
      { accountId: id, accountName: name, day: '2026-03-01', kind: 'image', finished: 1, failed: 1, credits: 2 },
      { day: '2026-03-01', kind: 'pdf', finished: 1, credits: 5 },
      { day: '2026-03-02', kind: 'image', finished: 1, credits: 1 },
    ]);
    const csv = await operator('GET', `/usage?${period}&format=csv`);
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect((await csv.text()).split('\r\n').slice(0, 2)).toEqual([
      'accountId,day,kind,finished,failed,cancelled,reused,credits,resultBytes,engineMs',
      `${id},2026-03-01,image,1,1,0,0,2,0,0`,
    ]);
    for (const days of ['since=2026-03-02&until=2026-03-01', 'since=2025-03-01&until=2026-03-02', 'since=2999-01-01']) {
      const refused = await operator('GET', `/usage?${days}`);
      expect([refused.status, (await refused.json()).field]).toEqual([400, 'since']);
    }
    expect((await operator('GET', '/usage?since=2025-03-01&until=2026-03-01')).status).toBe(200);
  });
});

test('the queue report shows waiting work by account and whether workers run', async () => {
  const { id, name } = await made();
  const upload = await storedUpload(gateway, { accountId: id });
  for (const status of ['QUEUED', 'QUEUED', 'PROCESSING', 'FINISHED'] as const) {
    await storedEnhancement(gateway, upload, { accountId: id, status });
  }
  const { items, workers, processes } = await (await operator('GET', '/queue')).json();
  expect(items).toContainEqual({ accountId: id, accountName: name, counts: { QUEUED: 2, PROCESSING: 1 } });
  expect(workers).toEqual({ main: true, engine: true });
  expect(processes).toEqual([]);
});
