import { beforeEach, describe, expect, test } from '@jest/globals';
import { Burnish, type ListenOptions, type Receive, type WebhookEvent } from '@burnish/client';
import { type EventKind, newId } from '@burnish/contract';
import { EVENTS_KEPT_MS } from '../../../src/database/webhooks/event-log.ts';
import { deliveries, webhookEvents } from '../../../src/database/schema/webhooks.ts';
import { until } from '../../support/until.ts';
import { testGateway, useGateway } from '../support/gateway.ts';

const gateway = useGateway();

beforeEach(async () => {
  gateway.clock.aheadMs = 0;
  await gateway.database.orm.delete(deliveries);
  await gateway.database.orm.delete(webhookEvents);
});

function eventOf(event: EventKind, created = new Date().toISOString()) {
  return { id: newId('evt', Date.now()), event, data: { id: 'upl_1', text: 'ä' }, created };
}

/** Records an event as a workflow does, for an account without an endpoint. @returns its id */
async function happen(event: EventKind = 'upload.status_update', accountId = gateway.account.id, created?: string) {
  const happened = eventOf(event, created);
  await gateway.records.deliveries.recordEvent(accountId, happened, null);
  return happened.id;
}

/** Event ids of the stored events that a request gives. */
async function stored(query: string, headers: Record<string, string> = {}): Promise<string[]> {
  const response = await gateway.fetch(`/v1/events?until=now&${query}`, { headers });
  expect(response.status).toBe(200);
  const text = await response.text();
  return [...text.matchAll(/^event: event\ndata: (.*)$/gm)].map(([, data]) => (JSON.parse(data!) as WebhookEvent).id);
}

/** A program that listens until `stop`. */
function listening(options: ListenOptions = {}, receive?: Receive, url = gateway.url) {
  const abort = new AbortController();
  const ids: string[] = [];
  const positions: number[] = [];
  let isOpen = false;
  const order = { signal: abort.signal, onOpen: () => void (isOpen = true), ...options };
  const ended = new Burnish({ baseUrl: url, apiKey: gateway.key }).webhooks
    .listen(order, async (event, position) => {
      ids.push(event.id);
      positions.push(position);
      await receive?.(event, position);
    })
    .catch((error: unknown) => error as Error);
  return {
    ids,
    positions,
    opens: () => until(() => (isOpen ? true : undefined)),
    receives: (count: number) => until(() => ids[count - 1]),
    async stop() {
      abort.abort();
      await ended;
    },
  };
}

describe('a listener receives', () => {
  test('each event of its account from then on, in order, also without any endpoint', async () => {
    await happen();
    const program = listening();
    await program.opens();
    const ids = [await happen(), await happen('upload.deleted'), await happen('batch.ended')];
    await happen('upload.deleted', `acc_${'0'.repeat(26)}`);
    await program.receives(3);
    expect(program.ids).toEqual(ids);
    expect(program.positions).toEqual(program.positions.toSorted((one, two) => one - two));
    await program.stop();
    expect(gateway.temporal.starts).toEqual([]);
  });

  test('every event beside another one, over another gateway, and continues behind its last', async () => {
    const { database, records } = gateway;
    await using other = await testGateway({ stores: records, listen: (...given) => database.listen(...given) });
    const [here, there] = [listening(), listening({}, undefined, other.url)];
    await Promise.all([here.opens(), there.opens()]);
    const ids = [await happen(), await happen(), await happen()];
    await Promise.all([here.receives(3), there.receives(3)]);
    expect([here.ids, there.ids]).toEqual([ids, ids]);
    await here.stop();
    const missed = [await happen(), await happen()];
    const again = listening({ after: here.positions[2]! }, undefined, other.url);
    await again.receives(2);
    expect(again.ids).toEqual(missed);
    await Promise.all([again.stop(), there.stop()]);
  });

  test('events although another one takes none', async () => {
    let free = (): void => undefined;
    const stuck = new Promise<void>((resolve) => (free = resolve));
    const [slow, fast] = [listening({}, () => stuck), listening()];
    await Promise.all([slow.opens(), fast.opens()]);
    const ids: string[] = [];
    for (let i = 0; i < 150; i += 1) ids.push(await happen());
    await Promise.all([fast.receives(150), slow.receives(1)]);
    expect([fast.ids, slow.ids.length]).toEqual([ids, 1]);
    free();
    await slow.receives(150);
    expect(slow.ids).toEqual(ids);
    await Promise.all([slow.stop(), fast.stop()]);
  });
});

describe('GET /v1/events', () => {
  test('gives the chosen kinds, and more than a page', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 120; i += 1) ids.push(await happen(i % 2 === 0 ? 'upload.deleted' : 'batch.ended'));
    const since = 'since=2020-01-01T00:00:00Z';
    expect(await stored(since)).toEqual(ids);
    expect(await stored(`${since}&events=upload.deleted`)).toEqual(ids.filter((_, i) => i % 2 === 0));
    expect(await stored(`${since}&events=*`)).toHaveLength(120);
    expect(await stored('')).toEqual([]);
  });

  test('starts at a time, and at most a minute before', async () => {
    const at = (minutes: number): string =>
      new Date(Date.parse('2026-01-31T09:00:00Z') + minutes * 60_000).toISOString();
    const [early, near, late] = [
      await happen('upload.deleted', undefined, at(0)),
      await happen('upload.deleted', undefined, at(29.5)),
      await happen('upload.deleted', undefined, at(31)),
    ];
    expect(await stored(`since=${at(30)}`)).toEqual([near, late]);
    expect(await stored(`since=${at(-5)}`)).toEqual([early, near, late]);
    expect(await stored(`since=${at(60)}`)).toEqual([]);
  });

  test('records an event once, also where an endpoint comes between its repetitions', async () => {
    const { webhookEndpoints, deliveries: log } = gateway.records;
    const event = eventOf('upload.deleted');
    expect(await log.recordEvent(gateway.account.id, event, null)).toEqual([]);
    const order = { url: 'https://example.com/hook', events: ['upload.deleted'] as EventKind[] };
    const { endpoint } = await webhookEndpoints.create(gateway.account.id, order);
    expect(await log.recordEvent(gateway.account.id, event, null)).toEqual([]);
    expect(await stored('since=2020-01-01T00:00:00Z')).toEqual([event.id]);
    await webhookEndpoints.remove(gateway.account.id, endpoint.id);
  });

  test.each([
    ['/v1/events?events=upload.gone', {}, 'events'],
    ['/v1/events?since=yesterday', {}, 'since'],
    ['/v1/events?since=2026-01-31T09:30:00Z', { 'Last-Event-ID': '3' }, 'since'],
    ['/v1/events', { 'Last-Event-ID': 'evt_1' }, 'Last-Event-ID'],
  ])('refuses %s with %j', async (path, headers, field) => {
    const response = await gateway.fetch(path, { headers: headers as Record<string, string> });
    const problem = await response.json();
    expect([response.status, problem.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(problem.field).toMatch(new RegExp(`^${field}`));
  });

  test('keeps an event without a delivery for a week, and one with a delivery for as long as its log', async () => {
    const [undelivered, delivered] = [eventOf('upload.deleted'), eventOf('upload.deleted')];
    const { deliveries: log, eventLog } = gateway.records;
    await log.recordEvent(gateway.account.id, undelivered, null);
    await log.recordEvent(gateway.account.id, delivered, 'https://example.com/hook');
    gateway.clock.aheadMs = EVENTS_KEPT_MS - 60_000;
    await eventLog.purge();
    expect(await stored('since=2020-01-01T00:00:00Z')).toEqual([undelivered.id, delivered.id]);
    gateway.clock.aheadMs = EVENTS_KEPT_MS + 60_000;
    await eventLog.purge();
    expect(await stored('since=2020-01-01T00:00:00Z')).toEqual([delivered.id]);
  });
});
