import { beforeEach, describe, expect, test } from '@jest/globals';
import { EVENT_KINDS, type WebhookEvent, newId } from '@burnish/contract';
import { webhookEndpoints as endpointsTable } from '../../../src/database/schema/webhooks.ts';
import { useGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);
const URL = 'https://example.com/hooks';

beforeEach(async () => {
  gateway.temporal.starts.length = 0;
  gateway.clock.aheadMs = 0;
  await gateway.database.orm.delete(endpointsTable);
});

const register = async (body: object = { url: URL }, once?: string) =>
  (await send('POST', '/v1/webhooks', { body, ...(once === undefined ? {} : { once }) })).json();

describe('/v1/webhooks', () => {
  test('registers an endpoint and shows its secret once', async () => {
    const response = await send('POST', '/v1/webhooks', { body: { url: URL, events: ['upload.deleted'] } });
    const { secret, ...shown } = await response.json();
    expect([response.status, response.headers.get('location')]).toEqual([201, `/v1/webhooks/${shown.id}`]);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toMatchObject({ url: URL, events: ['upload.deleted'], disabledAt: null });
    expect(await (await send('GET', '/v1/webhooks')).json()).toEqual({ items: [shown], next: null });
    expect(await (await send('GET', `/v1/webhooks/${shown.id}`)).json()).toEqual(shown);
    expect(gateway.logged()).not.toContain(secret);
  });

  test('subscribes to every kind of event by default, and to a repeated kind once', async () => {
    expect((await register()).events).toEqual(EVENT_KINDS);
    const twice = ['upload.deleted', 'upload.deleted', 'upload.status_update'];
    expect((await register({ url: URL, events: twice })).events).toEqual(['upload.status_update', 'upload.deleted']);
  });

  test('subscribes to all kinds with *, which is kept as such, beside other kinds and in a change', async () => {
    const all = await register({ url: URL, events: ['upload.deleted', '*'] });
    expect(all.events).toEqual(['*']);
    const { id } = await register({ url: URL, events: ['upload.deleted'] });
    const change = { method: 'PATCH', path: `/v1/webhooks/${id}` } as const;
    expect((await (await send(change.method, change.path, { body: { events: ['*'] } })).json()).events).toEqual(['*']);
    const one = await register({ url: URL, events: ['credits.low'] });
    await deliver();
    const { items } = await (await send('GET', '/v1/webhook-deliveries')).json();
    const receivers = items.map(({ webhookId }: { webhookId: string }) => webhookId);
    expect(receivers).toEqual(expect.arrayContaining([all.id, id]));
    expect(receivers).not.toContain(one.id);
  });

  test('has a format, which a change may replace', async () => {
    expect((await register()).format).toBe('BURNISH');
    const { id, format } = await register({ url: URL, format: 'PUBLIC' });
    expect(format).toBe('PUBLIC');
    const path = `/v1/webhooks/${id}`;
    await send('PATCH', path, { body: { enabled: true } });
    expect((await (await send('GET', path)).json()).format).toBe('PUBLIC');
    expect(await (await send('PATCH', path, { body: { format: 'BURNISH' } })).json()).toMatchObject({
      ...{ id, format: 'BURNISH', url: URL, events: EVENT_KINDS },
    });
  });

  test('does not restore a deleted endpoint under its old key', async () => {
    const { id } = await register({ url: URL }, 'hook-2');
    expect((await send('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
    expect(await register({ url: URL }, 'hook-2')).toMatchObject({ code: 'NOT_FOUND' });
    expect((await (await send('GET', '/v1/webhooks')).json()).items).toEqual([]);
  });

  test('accepts five endpoints an account and refuses a sixth, and a refusal does not use up its key', async () => {
    const made = await Promise.all(Array.from({ length: 7 }, (_, i) => register({ url: `${URL}/${i}` }, `five-${i}`)));
    const refused = made.flatMap((each, i) => (each.code === 'BAD_USER_INPUT' ? [i] : []));
    expect(refused).toHaveLength(2);
    const { id } = made.find((each) => each.id !== undefined);
    await send('DELETE', `/v1/webhooks/${id}`);
    const again = await register({ url: `${URL}/${refused[0]}` }, `five-${refused[0]}`);
    expect(again.secret).toMatch(/^whsec_/);
  });

  test('rotates the secret once under a key, and both secrets sign for 24 hours', async () => {
    const { id, secret } = await register();
    const rotated = await send('POST', `/v1/webhooks/${id}/rotate-secret`, { once: 'rotate-1' });
    const body = await rotated.json();
    expect([rotated.status, body.id]).toEqual([200, id]);
    expect(body.secret).toMatch(/^whsec_/);
    expect(body.secret).not.toBe(secret);
    const again = await (await send('POST', `/v1/webhooks/${id}/rotate-secret`, { once: 'rotate-1' })).json();
    expect(again).toEqual({ ...body, secret: null });
    const deliveryId = await deliver();
    const secrets = async () => (await gateway.records.deliveries.context(deliveryId))!.secrets;
    expect(await secrets()).toEqual([body.secret, secret]);
    gateway.clock.aheadMs = 24 * 3_600_000 + 60_000;
    expect(await secrets()).toEqual([body.secret]);
  });

  test('removes an endpoint once under a key', async () => {
    const { id } = await register();
    const remove = async (once?: string): Promise<number> =>
      (await send('DELETE', `/v1/webhooks/${id}`, once === undefined ? {} : { once })).status;
    expect([await remove('remove-1'), await remove('remove-1'), await remove()]).toEqual([204, 204, 404]);
  });

  test.each([
    ['no body', undefined, 400, 'BAD_USER_INPUT', undefined],
    ['no address', {}, 400, 'BAD_USER_INPUT', 'url'],
    ['an address that is none', { url: 'example.com' }, 400, 'BAD_USER_INPUT', 'url'],
    ['an address with a null byte', { url: `${URL}\0` }, 400, 'BAD_USER_INPUT', 'url'],
    ['a huge address', { url: `${URL}${'a'.repeat(3000)}` }, 400, 'BAD_USER_INPUT', 'url'],
    ['http', { url: 'http://example.com/' }, 422, 'URL_NOT_ALLOWED', 'url'],
    ['an address inside', { url: 'https://10.0.0.1/' }, 422, 'URL_NOT_ALLOWED', 'url'],
    ['an address with a password', { url: 'https://a:b@example.com/' }, 422, 'URL_NOT_ALLOWED', 'url'],
    ['no kind of event', { url: URL, events: [] }, 400, 'BAD_USER_INPUT', 'events'],
    ['an unknown kind of event', { url: URL, events: ['all'] }, 400, 'BAD_USER_INPUT', 'events[0]'],
    ['events as text', { url: URL, events: 'upload.deleted' }, 400, 'BAD_USER_INPUT', 'events'],
    ['an unknown format', { url: URL, format: 'OTHER' }, 400, 'BAD_USER_INPUT', 'format'],
    ['an unknown field', { url: URL, secret: 'whsec_mine' }, 400, 'BAD_USER_INPUT', 'secret'],
  ])('refuses %s', async (_what, body, status, code, field) => {
    const response = await send('POST', '/v1/webhooks', { body });
    const problem = await response.json();
    expect([response.status, problem.code, problem.field]).toEqual([status, code, field]);
    expect((await (await send('GET', '/v1/webhooks')).json()).items).toEqual([]);
  });
});

/** Records an event that the registered endpoint is to hear of, as a workflow does. @returns the delivery's id */
async function deliver(
  kind: WebhookEvent['event'] = 'upload.status_update',
  data: WebhookEvent['data'] = { id: 'upl_1' },
  publicData?: WebhookEvent['data'],
): Promise<string> {
  const event = {
    ...{ id: newId('evt', Date.now()), event: kind, data, created: new Date().toISOString() },
    ...(publicData && { publicData }),
  };
  const [planned] = await gateway.records.deliveries.recordEvent(gateway.account.id, event, null);
  return planned!.id;
}

describe('/v1/webhooks/{id}/test', () => {
  test('sends a test event to that endpoint only, despite its filter, once under a key', async () => {
    const endpoint = await register({ url: URL, events: ['upload.deleted'] });
    await register({ url: `${URL}/2` });
    const ask = () => send('POST', `/v1/webhooks/${endpoint.id}/test`, { once: 'test-1' });
    const [response, repeated] = [await ask(), await ask()];
    const body = await response.json();
    expect([response.status, response.headers.get('location')]).toEqual([202, `/v1/webhook-deliveries/${body.id}`]);
    expect(body).toMatchObject({ webhookId: endpoint.id, url: URL, event: 'webhook.test', status: 'PENDING' });
    expect(await repeated.json()).toEqual(body);
    const input = {
      deliveryId: body.id,
      accountId: gateway.account.id,
      host: 'example.com',
      eventKind: 'webhook.test',
    };
    expect(gateway.temporal.starts.map(({ type, options }) => [type, options.workflowId, options.args])).toEqual([
      ['delivery', `delivery/${body.id}`, [input]],
    ]);
    expect((await gateway.records.deliveries.context(body.id))!.event).toMatchObject({
      id: body.eventId,
      event: 'webhook.test',
      data: { webhookId: endpoint.id },
    });
  });

  test('refuses a disabled endpoint and an endpoint of another account', async () => {
    const { id } = await register();
    expect((await send('POST', `/v1/webhooks/${id}/test`, { key: gateway.foreignKey })).status).toBe(404);
    await gateway.records.webhookEndpoints.update(gateway.account.id, id, { enabled: false });
    const response = await send('POST', `/v1/webhooks/${id}/test`);
    expect([response.status, (await response.json()).detail]).toEqual([400, expect.stringContaining('disabled')]);
    expect(gateway.temporal.starts).toEqual([]);
  });
});

describe('/v1/webhook-deliveries', () => {
  test('lists deliveries with every attempt, newest first, in pages', async () => {
    const { id: webhookId } = await register();
    const ids = [await deliver(), await deliver(), await deliver()];
    const attempt = {
      number: 1,
      at: new Date().toISOString(),
      httpStatus: 500,
      latencyMs: 12,
      answer: 'no',
      retryAfterMs: 1000,
      outcome: 'failed' as const,
    };
    await gateway.records.deliveries.recordAttempt(ids[2]!, attempt, { status: 'FAILED', nextAttemptAt: null });
    const seen: unknown[] = [];
    let path: string | null = `/v1/webhook-deliveries?limit=2&webhookId=${webhookId}`;
    while (path !== null) {
      const response: Response = await send('GET', path);
      seen.push(...((await response.json()) as { items: unknown[] }).items);
      path = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? null;
    }
    expect(seen.map((each) => (each as { id: string }).id)).toHaveLength(3);
    const { retryAfterMs: _, ...shown } = attempt;
    const newest = {
      id: ids[2],
      webhookId,
      url: URL,
      event: 'upload.status_update',
      status: 'FAILED',
      attempts: [shown],
      nextAttemptAt: null,
      redeliveryOf: null,
    };
    expect(seen).toContainEqual(expect.objectContaining(newest));
    expect(await (await send('GET', `/v1/webhook-deliveries/${ids[2]}`)).json()).toMatchObject(newest);
    expect((await (await send('GET', `/v1/webhook-deliveries?webhookId=whk_${'7'.repeat(26)}`)).json()).items).toEqual(
      [],
    );
  });

  test('filters deliveries by state, event and upload, and names the file', async () => {
    await register();
    const [upload, other] = [
      await storedUpload(gateway, { originalFilename: 'harbour.jpg' }),
      await storedUpload(gateway, { originalFilename: 'other.jpg' }),
    ];
    const enhancementId = newId('enh', 0);
    const about = await deliver('upload.status_update', { id: upload.id });
    const result = await deliver('enhanced_image.status_update', { id: enhancementId, uploadId: upload.id });
    await deliver('upload.status_update', { id: other.id });
    const ofAccount = await deliver('credits.low', { remaining: 3 });
    const attempt = { number: 1, at: new Date().toISOString(), httpStatus: 410, latencyMs: 1, answer: '' };
    await gateway.records.deliveries.recordAttempt(
      about,
      { ...attempt, retryAfterMs: null, outcome: 'failed' },
      { status: 'FAILED', nextAttemptAt: null },
    );
    const found = async (query: string) =>
      (await (await send('GET', `/v1/webhook-deliveries?${query}`)).json()).items.map(({ id }: { id: string }) => id);
    expect((await found(`uploadId=${upload.id}`)).toSorted()).toEqual([about, result].toSorted());
    expect(await found(`uploadId=${upload.id}&status=FAILED`)).toEqual([about]);
    expect(await found(`uploadId=${upload.id}&event=enhanced_image.status_update`)).toEqual([result]);
    expect(await found('event=credits.low')).toContain(ofAccount);
    expect(await found(`uploadId=${newId('upl', 0)}`)).toEqual([]);
    const read = async (id: string) => (await send('GET', `/v1/webhook-deliveries/${id}`)).json();
    expect(await read(result)).toMatchObject({
      ...{ recordId: enhancementId, uploadId: upload.id, filename: 'harbour.jpg', status: 'PENDING' },
    });
    expect(await read(ofAccount)).toMatchObject({ recordId: null, uploadId: null, filename: null });
    for (const query of ['status=LOST', 'event=upload', 'uploadId=harbour'])
      expect((await send('GET', `/v1/webhook-deliveries?${query}`)).status).toBe(400);
  });

  test('shows the body of a delivery as its receiver gets it, in the format of the endpoint', async () => {
    const bodyOf = async (id: string) => (await (await send('GET', `/v1/webhook-deliveries/${id}`)).json()).body;
    await register({ url: URL });
    const own = await deliver('upload.status_update', { id: 'upl_1' }, { id: 'upl_1', public: true });
    expect(JSON.parse(await bodyOf(own))).toMatchObject({ event: 'upload.status_update', data: { id: 'upl_1' } });
    expect(await bodyOf(own)).not.toContain('public');
    await gateway.database.orm.delete(endpointsTable);
    await register({ url: URL, format: 'PUBLIC' });
    const text: string = await bodyOf(
      await deliver('upload.status_update', { id: 'upl_1' }, { id: 'upl_1', public: true }),
    );
    expect(JSON.parse(text).data).toEqual({ id: 'upl_1', public: true });
    const foreign = await gateway.fetch(`/v1/webhook-deliveries/${own}`, { key: gateway.foreignKey });
    expect(foreign.status).toBe(404);
  });

  test('sends an event again as a new delivery, once under a key, and keeps the first unchanged', async () => {
    await register();
    const id = await deliver();
    const first = await (await send('GET', `/v1/webhook-deliveries/${id}`)).json();
    const again = () => send('POST', `/v1/webhook-deliveries/${id}/redeliver`, { once: 'again-1' });
    const [response, repeated] = [await again(), await again()];
    const body = await response.json();
    expect([response.status, response.headers.get('location')]).toEqual([202, `/v1/webhook-deliveries/${body.id}`]);
    expect(body).toMatchObject({
      eventId: first.eventId,
      webhookId: first.webhookId,
      redeliveryOf: id,
      status: 'PENDING',
      attempts: [],
    });
    expect((await repeated.json()).id).toBe(body.id);
    expect(gateway.temporal.starts.map(({ type, options }) => [type, options.workflowId, options.args])).toEqual([
      [
        'delivery',
        `delivery/${body.id}`,
        [
          {
            deliveryId: body.id,
            accountId: gateway.account.id,
            uploadId: 'upl_1',
            host: 'example.com',
            eventKind: 'upload.status_update',
            redeliveryOf: id,
          },
        ],
      ],
    ]);
    expect(await (await send('GET', `/v1/webhook-deliveries/${id}`)).json()).toEqual(first);
    const other = await (await send('POST', `/v1/webhook-deliveries/${id}/redeliver`)).json();
    expect(other.id).not.toBe(body.id);
    expect((await (await send('GET', `/v1/webhook-deliveries/${body.id}`)).json()).redeliveryOf).toBe(id);
  });

  test('refuses to send again to a removed endpoint', async () => {
    const { id: webhookId } = await register();
    const id = await deliver();
    await send('DELETE', `/v1/webhooks/${webhookId}`);
    const response = await send('POST', `/v1/webhook-deliveries/${id}/redeliver`);
    expect([response.status, (await response.json()).detail]).toEqual([
      400,
      expect.stringContaining('deleted or disabled'),
    ]);
    expect(gateway.temporal.starts).toEqual([]);
  });

  test('is empty for another account, and refuses a malformed endpoint id', async () => {
    await register();
    const id = await deliver();
    const { foreignKey: key } = gateway;
    expect(await (await send('GET', '/v1/webhook-deliveries', { key })).json()).toEqual({ items: [], next: null });
    expect((await send('GET', `/v1/webhook-deliveries/${id}`, { key })).status).toBe(404);
    expect((await send('GET', '/v1/webhook-deliveries?webhookId=mine')).status).toBe(400);
  });
});
