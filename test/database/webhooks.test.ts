import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { WebhookEvent } from '@burnish/contract';
import type { Database } from '../../src/database/database.ts';
import { createDeliveries, type Deliveries } from '../../src/database/webhooks/deliveries.ts';
import { createWebhookEndpoints, type WebhookEndpoints } from '../../src/database/webhooks/webhook-endpoints.ts';
import type { DeliveryAttempt } from '../../src/domain/events/delivery.ts';
import { DATABASES, type TestDatabase } from './databases.ts';
import { addAccount, AT, newId } from './records.ts';
import { testVault } from '../support/test-vault.ts';

const NOON = Date.parse('2025-03-10T12:00:00.000Z');
const OWN = 'https://own.example/hook';

const anEvent = (): WebhookEvent => ({
  id: newId('evt'),
  event: 'upload.status_update',
  data: { id: 'upl_1' },
  created: AT,
});
const attempt = (number: number, given: Partial<DeliveryAttempt> = {}): DeliveryAttempt => ({
  number,
  at: AT,
  httpStatus: 500,
  latencyMs: 12,
  answer: 'no',
  retryAfterMs: null,
  outcome: 'failed',
  ...given,
});

describe.each(DATABASES)('webhooks on %s', (_name, open) => {
  let opened: TestDatabase;
  let database: Database;
  let endpoints: WebhookEndpoints;
  let deliveries: Deliveries;
  let accountId: string;
  let now = NOON;

  beforeAll(async () => {
    opened = await open();
    database = opened.database;
    endpoints = createWebhookEndpoints(database, testVault, () => now);
    deliveries = createDeliveries(database, testVault, () => now);
  });
  beforeEach(async () => {
    now = NOON;
    accountId = await addAccount(database);
  });
  afterAll(() => opened.close());

  const register = (url = 'https://a.example/hook') =>
    endpoints.create(accountId, { url, events: ['upload.status_update'] });

  test('send an event to each enabled endpoint that subscribes to it and to the address of the upload', async () => {
    const { endpoint } = await register();
    await endpoints.create(accountId, { url: 'https://b.example', events: ['upload.deleted'] });
    const { endpoint: disabled } = await register('https://c.example');
    await endpoints.update(accountId, disabled.id, { enabled: false });
    const other = await addAccount(database);
    await endpoints.create(other, { url: 'https://d.example', events: ['upload.status_update'] });
    const planned = await deliveries.recordEvent(accountId, anEvent(), OWN);
    const read = await Promise.all(planned.map(({ id }) => deliveries.context(id)));
    expect(read.map((each) => ({ url: each!.url, endpointId: each!.delivery.endpointId }))).toEqual(
      expect.arrayContaining([
        { url: endpoint.url, endpointId: endpoint.id },
        { url: OWN, endpointId: null },
      ]),
    );
    expect(planned.map(({ host }) => host).sort()).toEqual(['a.example', new URL(OWN).host].sort());
  });

  test('keep the same deliveries for a repeated event, whatever was registered since', async () => {
    await register();
    const event = anEvent();
    const all = await Promise.all(Array.from({ length: 4 }, () => deliveries.recordEvent(accountId, event, OWN)));
    await register('https://later.example');
    all.push(await deliveries.recordEvent(accountId, event, OWN));
    for (const each of all) expect(each).toEqual(all[0]);
    expect((await deliveries.list(accountId, { limit: 10 })).items).toHaveLength(2);
  });

  test('create no delivery for an event without subscribers', async () => {
    expect(await deliveries.recordEvent(accountId, anEvent(), null)).toEqual([]);
  });

  test('sign with both secrets for 24 hours after a rotation', async () => {
    const { endpoint, secret } = await register();
    const event = anEvent();
    const [planned] = await deliveries.recordEvent(accountId, event, null);
    const secrets = async () => (await deliveries.context(planned!.id))!.secrets;
    expect(await secrets()).toEqual([secret]);
    const { secret: next } = await endpoints.rotateSecret(accountId, endpoint.id);
    expect(await secrets()).toEqual([next, secret]);
    now = NOON + 24 * 3_600_000;
    expect(await secrets()).toEqual([next]);
    expect(await deliveries.context(planned!.id)).toMatchObject({ url: endpoint.url, event, endpointGone: false });
  });

  test('sign for the address of an upload with the secret of the account', async () => {
    const [planned] = await deliveries.recordEvent(accountId, anEvent(), OWN);
    expect(await deliveries.context(planned!.id)).toMatchObject({ url: OWN, secrets: ['whsec_c2VjcmV0'] });
    expect(await deliveries.context('dlv_unknown')).toBeUndefined();
  });

  test('log an attempt once and update its delivery', async () => {
    const [planned] = await deliveries.recordEvent(accountId, anEvent(), OWN);
    const { id } = planned!;
    const later = { status: 'PENDING' as const, nextAttemptAt: '2025-03-10T12:00:05.000Z' };
    expect(await deliveries.recordAttempt(id, attempt(1), later)).toBe(true);
    const done = { status: 'DELIVERED' as const, nextAttemptAt: null };
    expect(await deliveries.recordAttempt(id, attempt(2, { httpStatus: 204, outcome: 'delivered' }), done)).toBe(true);
    expect(await deliveries.recordAttempt(id, attempt(1), later)).toBe(false);
    expect(await deliveries.get(accountId, id)).toMatchObject({ ...done, attempts: 2 });
    expect((await deliveries.attempts(accountId, [id])).get(id)!.map(({ httpStatus }) => httpStatus)).toEqual([
      500, 204,
    ]);
    const other = await addAccount(database);
    expect(await deliveries.get(other, id)).toBeUndefined();
    expect((await deliveries.attempts(other, [id])).get(id)).toEqual([]);
  });

  test('disable an endpoint after an answer of 410 and end its other deliveries', async () => {
    const { endpoint } = await register();
    const [first] = await deliveries.recordEvent(accountId, anEvent(), null);
    const [second] = await deliveries.recordEvent(accountId, anEvent(), null);
    const failed = { status: 'FAILED' as const, nextAttemptAt: null };
    await deliveries.recordAttempt(first!.id, attempt(1, { httpStatus: 410, outcome: 'gone' }), failed);
    expect(await endpoints.get(accountId, endpoint.id)).toMatchObject({ disabledAt: AT });
    expect(await deliveries.get(accountId, second!.id)).toMatchObject(failed);
    expect(await deliveries.context(second!.id)).toMatchObject({ endpointGone: true });
    expect(await deliveries.recordEvent(accountId, anEvent(), null)).toEqual([]);
    await endpoints.update(accountId, endpoint.id, { enabled: true });
    expect(await deliveries.recordEvent(accountId, anEvent(), null)).toHaveLength(1);
  });

  test('are limited to five endpoints an account, also under parallel requests', async () => {
    const all = await Promise.allSettled(Array.from({ length: 8 }, (_, i) => register(`https://${i}.example`)));
    const refused = all.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(refused).toHaveLength(3);
    for (const each of refused) expect(each).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await endpoints.list(accountId)).toHaveLength(5);
  });

  test('can be changed and removed by their own account only; the log stays', async () => {
    const { endpoint } = await register();
    const [planned] = await deliveries.recordEvent(accountId, anEvent(), null);
    const other = await addAccount(database);
    await expect(endpoints.update(other, endpoint.id, { url: OWN })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(endpoints.rotateSecret(other, endpoint.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await endpoints.remove(other, endpoint.id)).toBe(false);
    expect(await endpoints.update(accountId, endpoint.id, { url: OWN })).toEqual({ ...endpoint, url: OWN });
    expect(await endpoints.remove(accountId, endpoint.id)).toBe(true);
    expect(await deliveries.get(accountId, planned!.id)).toMatchObject({ status: 'FAILED', endpointId: endpoint.id });
    expect(await deliveries.context(planned!.id)).toMatchObject({ endpointGone: true, secrets: [] });
  });

  test('list the log newest first, in pages and by endpoint', async () => {
    const { endpoint } = await register();
    for (let i = 0; i < 5; i += 1) {
      now += 1000;
      await deliveries.recordEvent(accountId, anEvent(), OWN);
    }
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const page = await deliveries.list(accountId, { limit: 3, ...(after === undefined ? {} : { after }) });
      ids.push(...page.items.map(({ id }) => id));
      after = page.nextCursor ?? undefined;
    } while (after !== undefined);
    expect(new Set(ids).size).toBe(10);
    const { items } = await deliveries.list(accountId, { limit: 10, endpointId: endpoint.id });
    expect(items).toHaveLength(5);
    expect(items.map(({ createdAt }) => createdAt)).toEqual(
      items
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .reverse(),
    );
  });
});
