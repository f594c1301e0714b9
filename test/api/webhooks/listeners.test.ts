import { sql } from 'drizzle-orm';
import { describe, expect, test } from '@jest/globals';
import { LISTENER_KEPT_MS, MAX_LISTENERS, MAX_WAITING } from '../../../src/domain/events/listening.ts';
import { graphql } from '../graphql/support.ts';
import { OPERATOR_KEY } from '../support/gateway.ts';
import { useListeners } from './use-listeners.ts';

const { gateway, send, path, listening, open, listed, log, happen } = useListeners();

describe('/v1/webhook-listeners', () => {
  test('opens a listener, and continues the one with the same name and the same secret', async () => {
    const made = await send('POST', path, { body: { name: 'laptop/localhost:8080', events: ['upload.deleted'] } });
    const { secret, ...shown } = await made.json();
    expect([made.status, secret]).toEqual([200, expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)]);
    expect(shown).toMatchObject({ name: 'laptop/localhost:8080', events: ['upload.deleted'], waiting: 0 });
    expect(await listed()).toEqual([shown]);
    const again = await open({ name: 'laptop/localhost:8080' });
    expect(again).toMatchObject({ id: shown.id, secret });
    expect(again.events).toContain('batch.ended');
    expect((await open({ name: 'other' })).secret).not.toBe(secret);
    expect(gateway.logged()).not.toContain(secret);
  });

  test('has listeners beside the five endpoints, and refuses one more than ten', async () => {
    for (let i = 0; i < 5; i += 1) await send('POST', '/v1/webhooks', { body: { url: `https://example.com/${i}` } });
    for (let i = 0; i < MAX_LISTENERS; i += 1) await open({ name: `n${i}` });
    const refused = await send('POST', path, { body: { name: 'another' } });
    expect([refused.status, (await refused.json()).detail]).toEqual([400, expect.stringContaining('at most 10')]);
    expect((await send('POST', path, { body: { name: 'n3' } })).status).toBe(200);
    expect(await listed()).toHaveLength(MAX_LISTENERS);
  });

  test('subscribes to all kinds with *, also for the stored events that it asks for again', async () => {
    const since = new Date().toISOString();
    const { id } = await open({ name: 'all', events: ['*'] });
    expect((await listed())[0]).toMatchObject({ id, events: ['*'], waiting: 0 });
    await happen('credits.low');
    expect((await listed())[0]!.waiting).toBe(1);
    const again = await open({ name: 'all', events: ['*', 'credits.low'], since });
    expect(again).toMatchObject({ id, events: ['*'], waiting: 1 });
  });

  test('deletes a listener: its stream ends, and what waits fails', async () => {
    const { id } = await open();
    await happen();
    expect((await send('DELETE', `${path}/${id}`)).status).toBe(204);
    expect(await log(id)).toMatchObject([{ status: 'FAILED', attempts: [] }]);
    const program = listening();
    await program.opens();
    await happen();
    await program.receives(1);
    await send('DELETE', `${path}/${program.opened[0]!.id}`);
    expect(await program.ended).toMatchObject({ code: 'CANCELLED', message: expect.stringContaining('is deleted') });
  });

  test('GraphQL opens, lists and deletes a listener', async () => {
    const opening = `mutation { openWebhookListener(name: "laptop", events: ["upload.deleted"]) {
      listener { id name events waiting } secret } }`;
    const { data } = await graphql(gateway, opening);
    const { listener, secret } = data!['openWebhookListener'] as { listener: { id: string }; secret: string };
    expect(listener).toMatchObject({ name: 'laptop', events: ['upload.deleted'], waiting: 0 });
    expect((await open()).secret).toBe(secret);
    const ids = async () => (await graphql(gateway, '{ webhookListeners { id } }')).data!['webhookListeners'];
    expect(await ids()).toEqual([{ id: listener.id }]);
    await happen();
    const deliveries = `{ webhookDeliveries(webhookId: "${listener.id}") { nodes { webhookId status } } }`;
    const nodes = [{ webhookId: listener.id, status: 'PENDING' }];
    expect((await graphql(gateway, deliveries)).data).toEqual({ webhookDeliveries: { nodes } });
    await graphql(gateway, `mutation { deleteWebhookListener(id: "${listener.id}") { deletedId } }`);
    expect(await ids()).toEqual([]);
  });

  test('shows nothing to another account', async () => {
    const { id } = await open();
    const eventId = await happen();
    const [delivery] = await log(id);
    const key = gateway.foreignKey;
    expect((await (await send('GET', path, { key })).json()).items).toEqual([]);
    const answer = { deliveryId: delivery!.id, httpStatus: 200, latencyMs: 1 };
    const { id: own } = await (await send('POST', path, { key, body: { name: 'laptop' } })).json();
    const refused = await Promise.all([
      send('GET', `${path}/${id}/deliveries`, { key }),
      send('DELETE', `${path}/${id}`, { key }),
      send('POST', `${path}/${id}/answers`, { key, body: answer }),
      send('POST', `${path}/${own}/answers`, { key, body: answer }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const foreign = listening({}, undefined, { key });
    await foreign.opens();
    const program = listening();
    await program.receives(1);
    expect([program.ids(), foreign.ids()]).toEqual([[eventId], []]);
    await Promise.all([program.stop(), foreign.stop()]);
  });

  test('refuses a suspended account, and its events wait', async () => {
    const made = await send('POST', '/v1/operator/accounts', { key: OPERATOR_KEY, body: { name: 'S', plan: 'FREE' } });
    const { account, apiKey: key } = await made.json();
    const { id } = await (await send('POST', path, { key, body: { name: 'laptop' } })).json();
    const suspend = (name: string) =>
      send('POST', `/v1/operator/accounts/${account.id}/${name}`, { key: OPERATOR_KEY });
    await suspend('suspend');
    await happen('upload.deleted', account.id);
    for (const [method, address] of [
      ['POST', path],
      ['GET', `${path}/${id}/deliveries`],
    ] as const)
      expect((await (await send(method, address, { key })).json()).code).toBe('ACCOUNT_SUSPENDED');
    await suspend('resume');
    const program = listening({}, undefined, { key });
    await program.receives(1);
    await program.stop();
  });
});

describe('bounds', () => {
  test('a listener that is away for a day expires with what waits, and keeps its secret', async () => {
    const { id, secret } = await open();
    await happen();
    gateway.clock.aheadMs = LISTENER_KEPT_MS + 1_000;
    await happen();
    expect(await listed()).toEqual([]);
    expect((await gateway.fetch(`${path}/${id}/deliveries`)).status).toBe(404);
    await gateway.records.webhookListeners.purge();
    expect(await log(id)).toMatchObject([{ status: 'FAILED' }]);
    const again = await open();
    expect([again.id === id, again.secret, again.waiting]).toEqual([false, secret, 0]);
  });

  test('a full queue takes no further events, and other receivers get them', async () => {
    const { id } = await open();
    const other = await open({ name: 'other' });
    await happen();
    await gateway.database.orm.execute(sql`
      insert into deliveries (id, account_id, endpoint_id, url, event_id, created_at, listener_seq)
      select 'dlv_full_' || n, account_id, endpoint_id, url, event_id, created_at, listener_seq
      from deliveries, generate_series(2, ${MAX_WAITING}) as n where endpoint_id = ${id}`);
    await happen();
    expect((await listed()).map((each) => [each.id, each.waiting])).toEqual([
      [id, MAX_WAITING],
      [other.id, 2],
    ]);
  });

  test.each([
    ['a name with spaces', { name: 'my laptop' }, 'name'],
    ['no name', {}, 'name'],
    ['a long name', { name: 'a'.repeat(201) }, 'name'],
    ['an unknown kind', { name: 'a', events: ['all'] }, 'events[0]'],
    ['a time without a date', { name: 'a', since: '10m' }, 'since'],
  ])('%s is refused', async (_what, body, field) => {
    const problem = await (await send('POST', path, { body })).json();
    expect([problem.code, problem.field]).toEqual(['BAD_USER_INPUT', field]);
  });
});
