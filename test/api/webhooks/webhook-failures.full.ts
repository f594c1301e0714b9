import { beforeEach, describe, expect, test } from '@jest/globals';
import { newId, Failure } from '@burnish/contract';
import { keepReleasing } from '../../../src/api/webhooks/release-deliveries.ts';
import { webhookEndpoints as endpointsTable } from '../../../src/database/schema/webhooks.ts';
import type { DeliveryAttempt } from '../../../src/domain/events/delivery.ts';
import { parseAllowedHosts } from '../../../src/net/allowed-hosts.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { jpeg } from '../support/files.ts';
import { useLivingGateway } from '../support/living-gateway.ts';
import { jsonRequests } from '../support/requests.ts';
import { poll } from '../../support/poll.ts';
import { useForFile } from '../../support/use-for.ts';

const living = useLivingGateway({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1') });
const receiver = useForFile(webhookReceiver);
const send = jsonRequests(() => living.gateway);
const DAY_MS = 24 * 3_600_000;
const START = Date.parse('2026-03-01T00:00:00.000Z');

beforeEach(async () => {
  receiver.deliveries.length = 0;
  await living.gateway.database.orm.delete(endpointsTable);
});

// Answers are what the tests say they are: a wrong guess fails the test.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Answer = any;
const answer = async (method: string, path: string, body?: unknown): Promise<Answer> => {
  const response = await send(method, path, body === undefined ? {} : { body });
  return { httpStatus: response.status, ...(await response.json()) };
};
const graphql = async (query: string): Promise<Answer> => (await answer('POST', '/graphql', { query })).data;
const register = (path: string, events?: string[]): Promise<Answer> =>
  answer('POST', '/v1/webhooks', { url: `${receiver.url}/${path}`, ...(events && { events }) });
const read = (id: string): Promise<Answer> => answer('GET', `/v1/webhooks/${id}`);

/** An event of the account, as recorded; one delivery to each endpoint that wants it. */
async function planned(endpointId: string): Promise<string> {
  const { account, records } = living.gateway;
  const created = new Date(START).toISOString();
  const event = { id: newId('evt', START), event: 'upload.deleted' as const, data: {}, created };
  const all = await records.deliveries.recordEvent(account.id, event, null);
  return all.find((each) => each.endpointId === endpointId)!.id;
}

/** The outcome of an attempt so many days after the start. */
async function attempted(
  deliveryId: string,
  day: number,
  outcome: DeliveryAttempt['outcome'],
  status: 'PENDING' | 'FAILED' | 'DELIVERED' = 'PENDING',
): Promise<void> {
  const httpStatus = { delivered: 204, failed: 500, gone: 410 }[outcome];
  const at = new Date(START + day * DAY_MS).toISOString();
  await living.gateway.records.deliveries.recordAttempt(
    deliveryId,
    { number: Math.round(day * 10) + 1, at, httpStatus, latencyMs: 1, answer: '', retryAfterMs: null, outcome },
    { status, nextAttemptAt: null },
  );
}

describe('PATCH /v1/webhooks/{id}', () => {
  test('changes only the given fields and keeps the secret', async () => {
    const { id, secret: _secret, httpStatus: _status, ...before } = await register('a', ['upload.deleted']);
    const changed = await answer('PATCH', `/v1/webhooks/${id}`, { events: ['upload.status_update', 'upload.deleted'] });
    expect(changed).toEqual({ ...before, httpStatus: 200, id, events: ['upload.status_update', 'upload.deleted'] });
    const moved = await answer('PATCH', `/v1/webhooks/${id}`, { url: `${receiver.url}/b` });
    expect(moved).toEqual({ ...changed, url: `${receiver.url}/b` });
    expect(await read(id)).toEqual(moved);
  });

  test('disables an endpoint and ends its deliveries, and enables it again', async () => {
    const { id } = await register('a');
    const open = await planned(id);
    const disabled = await answer('PATCH', `/v1/webhooks/${id}`, { enabled: false });
    expect(disabled).toMatchObject({ disabledReason: 'request', disabledAt: expect.any(String) });
    expect(await answer('GET', `/v1/webhook-deliveries/${open}`)).toMatchObject({ status: 'FAILED' });
    expect(await answer('POST', `/v1/webhooks/${id}/test`, {})).toMatchObject({ code: 'BAD_USER_INPUT' });
    const enabled = await answer('PATCH', `/v1/webhooks/${id}`, { enabled: true });
    expect(enabled).toMatchObject({ disabledReason: null, disabledAt: null, failingSince: null });
    await answer('POST', `/v1/webhooks/${id}/test`, {});
    expect((await receiver.received(({ event }) => event === 'webhook.test')).status).toBe(204);
  });

  test('has the same effect in GraphQL', async () => {
    const { id } = await register('a');
    const { updateWebhook } = await graphql(
      `mutation { updateWebhook(id: "${id}", enabled: false, events: ["upload.deleted"]) { events disabledReason } }`,
    );
    expect(updateWebhook).toEqual({ events: ['upload.deleted'], disabledReason: 'request' });
  });

  test.each([
    [{}, undefined],
    [{ events: [] }, 'events'],
    [{ events: ['webhook.test'] }, 'events[0]'],
    [{ url: 'ftp://example.com' }, 'url'],
    [{ url: 'http://10.0.0.1/' }, 'url'],
    [{ enabled: 'no' }, 'enabled'],
    [{ secret: 'whsec_x' }, 'secret'],
  ])('refuses %j, and changes nothing', async (change, field) => {
    const { id } = await register('a');
    const before = await read(id);
    const refused = await answer('PATCH', `/v1/webhooks/${id}`, change);
    expect([400, 422]).toContain(refused.httpStatus);
    if (field !== undefined) expect(refused.field).toBe(field);
    expect(await read(id)).toEqual(before);
  });
});

describe('an endpoint with failing attempts', () => {
  test('is disabled after five days without a success, and another endpoint receives the event', async () => {
    const { id } = await register('down', ['upload.deleted']);
    const { id: other } = await register('other', ['webhook.disabled']);
    const delivery = await planned(id);
    await attempted(delivery, 0, 'failed');
    await attempted(delivery, 4.9, 'failed');
    expect(await read(id)).toMatchObject({ disabledAt: null, failingSince: '2026-03-01T00:00:00.000Z' });
    await attempted(delivery, 5, 'failed');
    const facts = {
      disabledAt: '2026-03-06T00:00:00.000Z',
      disabledReason: 'failing',
      failingSince: '2026-03-01T00:00:00.000Z',
    };
    expect(await read(id)).toMatchObject(facts);

    const stop = keepReleasing(living.reconciling);
    const { event } = await receiver.received(({ event }) => event === 'webhook.disabled');
    expect(event.data).toEqual({ id, ...facts });
    await stop();
    const { items } = await answer('GET', `/v1/webhook-deliveries?webhookId=${other}`);
    expect(items).toMatchObject([{ event: 'webhook.disabled' }]);
  });

  test('stays enabled after a success in between', async () => {
    const { id } = await register('shaky');
    const delivery = await planned(id);
    await attempted(delivery, 0, 'failed');
    await attempted(delivery, 4, 'delivered', 'DELIVERED');
    expect(await read(id)).toMatchObject({ failingSince: null });
    await attempted(await planned(id), 5.5, 'failed');
    expect(await read(id)).toMatchObject({ disabledAt: null, failingSince: '2026-03-06T12:00:00.000Z' });
  });

  test('counts from zero after it is enabled or gets another address', async () => {
    const { id } = await register('down');
    await attempted(await planned(id), 0, 'failed');
    await answer('PATCH', `/v1/webhooks/${id}`, { url: `${receiver.url}/new` });
    await attempted(await planned(id), 6, 'failed');
    expect(await read(id)).toMatchObject({ disabledAt: null, failingSince: '2026-03-07T00:00:00.000Z' });
  });

  test('that answers 410 is disabled with that reason', async () => {
    const { id } = await register('gone');
    await attempted(await planned(id), 1, 'gone', 'FAILED');
    expect(await read(id)).toMatchObject({ disabledReason: 'gone', disabledAt: '2026-03-02T00:00:00.000Z' });
  });
});

test('the operator can search the deliveries of an upload by its id and their status', async () => {
  const { account, records } = living.gateway;
  const { id } = await register('status', ['upload.deleted']);
  const uploadId = newId('upl', START);
  const event = { id: newId('evt', START), event: 'upload.deleted' as const, data: { id: uploadId }, created: '' };
  const created = new Date(START).toISOString();
  const [first] = await records.deliveries.recordEvent(account.id, { ...event, created }, null);
  await attempted(first!.id, 0, 'failed', 'FAILED');
  const { id: again } = await answer('POST', `/v1/webhook-deliveries/${first!.id}/redeliver`, {});
  const query = `BurnishUploadId = "${uploadId}" AND BurnishType = "delivery" AND BurnishStatus = "DELIVERED"`;
  const found = async (): Promise<string[]> => {
    const ids = [];
    for await (const { workflowId } of living.client.workflow.list({ query })) ids.push(workflowId);
    return ids;
  };
  await poll(found, { timeout: 20_000 }).toEqual([`delivery/${again}`]);
  expect((await read(id)).failingSince).toBeNull();
});

test('the operator can search an enhancement that ended in an error by its status', async () => {
  living.provider.script.enhance = () => Promise.reject(new Failure('CORRUPT_FILE', { detail: 'It ends early.' }));
  const response = await living.gateway.fetch('/v1/uploads?enhancements=[{}]', {
    method: 'POST',
    headers: { 'Content-Type': 'image/jpeg' },
    body: new Uint8Array(await jpeg()),
  });
  const upload = await response.json();
  const query = `BurnishEnhancementStatus = "ERROR" AND BurnishEnhancementId = "${upload.enhancements[0].id}"`;
  const found = async (): Promise<string[]> => {
    const ids = [];
    for await (const { workflowId } of living.client.workflow.list({ query })) ids.push(workflowId);
    return ids;
  };
  await poll(found, { timeout: 30_000 }).toEqual([`upload/${upload.id}`]);
  delete living.provider.script.enhance;
});

describe('POST /v1/webhooks/{id}/redeliver-failed', () => {
  const since = '2026-01-01T00:00:00Z';

  test('sends each failed event after the given time again, once', async () => {
    const { id } = await register('back');
    const { id: foreign } = await register('another');
    const failed = [await planned(id), await planned(id)];
    for (const each of failed) await attempted(each, 0, 'failed', 'FAILED');
    await attempted(await planned(id), 0, 'delivered', 'DELIVERED');
    await attempted(await planned(foreign), 0, 'failed', 'FAILED');
    const path = `/v1/webhooks/${id}/redeliver-failed`;
    const [one, two] = await Promise.all([answer('POST', path, { since }), answer('POST', path, { since })]);
    const made = new Set([...one.deliveryIds, ...two.deliveryIds]);
    expect(made.size).toBe(2);
    expect([one.httpStatus, one.more]).toEqual([200, false]);
    for (const each of made) {
      await poll(async () => (await answer('GET', `/v1/webhook-deliveries/${each}`)).status, { timeout: 15_000 }).toBe(
        'DELIVERED',
      );
    }
    const { items } = await answer('GET', `/v1/webhook-deliveries?webhookId=${id}&limit=100`);
    const repeats = items.filter((each: Answer) => each.redeliveryOf !== null);
    expect(repeats.map((each: Answer) => each.redeliveryOf).toSorted()).toEqual(failed.toSorted());
    expect(await answer('POST', path, { since })).toMatchObject({ deliveryIds: [], more: false });
  });

  test('skips earlier events, and is refused for a disabled endpoint', async () => {
    const { id } = await register('back');
    await attempted(await planned(id), 0, 'failed', 'FAILED');
    const later = new Date(Date.now() + DAY_MS).toISOString();
    const path = `/v1/webhooks/${id}/redeliver-failed`;
    expect(await answer('POST', path, { since: later })).toMatchObject({ httpStatus: 200, deliveryIds: [] });
    await answer('PATCH', `/v1/webhooks/${id}`, { enabled: false });
    expect(await answer('POST', path, { since })).toMatchObject({ httpStatus: 400, code: 'BAD_USER_INPUT' });
    expect(await answer('POST', path, { since: 'yesterday' })).toMatchObject({ httpStatus: 400, field: 'since' });
  });

  test('sends a hundred at a time and reports the rest; GraphQL does the same', async () => {
    const { id } = await register('full');
    for (let each = 0; each < 101; each += 1) await attempted(await planned(id), 0, 'failed', 'FAILED');
    const path = `/v1/webhooks/${id}/redeliver-failed`;
    const first = await answer('POST', path, { since });
    expect([first.deliveryIds.length, first.more]).toEqual([100, true]);
    const { redeliverFailed } = await graphql(
      `mutation { redeliverFailed(id: "${id}", since: "${since}") { deliveryIds more } }`,
    );
    expect([redeliverFailed.deliveryIds.length, redeliverFailed.more]).toEqual([1, false]);
  });
});
