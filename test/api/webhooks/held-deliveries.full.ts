import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { keepReleasing } from '../../../src/api/webhooks/release-deliveries.ts';
import { deliveries as table } from '../../../src/database/schema/webhooks.ts';
import { ATTEMPTS_AT_ONCE } from '../../../src/domain/events/delivery.ts';
import { parseAllowedHosts } from '../../../src/net/allowed-hosts.ts';
import { poll } from '../../support/poll.ts';
import { useLivingGateway } from '../support/living-gateway.ts';
import { useRecordedDeliveries } from '../support/recorded-deliveries.ts';

const living = useLivingGateway({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1') });
const { receiver, send, anEvent, record, register } = useRecordedDeliveries(living);
/** Milliseconds between two looks, a tenth of the usual ones. */
const LOOK_MS = { busy: 25, idle: 500 };
const EVENTS = ATTEMPTS_AT_ONCE.ofReceiver + 16;

const attempted = async (deliveryId: string, outcome: 'delivered' | 'failed', number = 1): Promise<void> => {
  const made = { number, httpStatus: 204, latencyMs: 1, answer: '', retryAfterMs: null, outcome };
  const next = { status: outcome === 'delivered' ? ('DELIVERED' as const) : ('PENDING' as const), nextAttemptAt: null };
  await living.gateway.records.deliveries.recordAttempt(deliveryId, { ...made, at: new Date().toISOString() }, next);
};
const workflows = async (): Promise<number> => (await living.client.workflow.count('WorkflowType = "delivery"')).count;

describe('events for a receiver that does not answer', () => {
  test('wait beyond a number, and delay neither its uploads nor other receivers', async () => {
    const silent = await register('silent');
    const begun: string[] = [];
    const events = Array.from({ length: EVENTS }, anEvent);
    for (const event of events) begun.push(...(await record(event)));
    expect(begun).toHaveLength(ATTEMPTS_AT_ONCE.ofReceiver);
    // A repetition begins the same deliveries.
    expect([...(await record(events[0]!)), ...(await record(events.at(-1)!))]).toEqual([begun[0]]);

    await register('other');
    expect(await record(anEvent(), `${receiver.url}/upload`)).toHaveLength(2);
    const waiting = await living.gateway.database.orm.select().from(table).where(eq(table.held, 'waiting'));
    expect(waiting.map(({ endpointId, status }) => [endpointId, status])).toEqual(
      Array(EVENTS - ATTEMPTS_AT_ONCE.ofReceiver + 1).fill([silent, 'PENDING']),
    );
  });

  test('wait by the host of the addresses of uploads, and all hosts of an account have a bound together', async () => {
    const begun: string[] = [];
    for (let n = 0; n < EVENTS; n += 1) begun.push(...(await record(anEvent(), `${receiver.url}/${n}`)));
    expect(begun).toHaveLength(ATTEMPTS_AT_ONCE.ofReceiver);
    for (let n = 0; n < ATTEMPTS_AT_ONCE.ofAccount; n += 1)
      begun.push(...(await record(anEvent(), `https://host-${n}.example/hook`)));
    expect(begun).toHaveLength(ATTEMPTS_AT_ONCE.ofAccount);
    expect(await living.gateway.records.deliveries.releasable()).toEqual([]);
    for (const id of begun.slice(-3)) await attempted(id, 'failed');
    expect(await living.gateway.records.deliveries.releasable()).toHaveLength(3);
  });

  test('arrive once each in their turn, as others get their attempts', async () => {
    await register('slow');
    const begun: string[] = [];
    for (let n = 0; n < EVENTS; n += 1) begun.push(...(await record(anEvent())));
    const before = await workflows();
    // Two gateways look for them.
    const deps = { ...living.reconciling, deliveries: living.gateway.records.deliveries };
    const stops = [keepReleasing(deps, LOOK_MS), keepReleasing(deps, LOOK_MS)];
    try {
      await pause(600);
      expect([await workflows(), receiver.deliveries.length]).toEqual([before, 0]);
      await attempted(begun.shift()!, 'delivered');
      await poll(() => receiver.deliveries.length).toBeGreaterThan(0);
      for (const id of begun) await attempted(id, 'delivered');
      await poll(() => receiver.deliveries.length).toBe(EVENTS - ATTEMPTS_AT_ONCE.ofReceiver);
      const ids = receiver.deliveries.map(({ event: { id } }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    } finally {
      for (const stop of stops) await stop();
    }
    expect(await living.gateway.records.deliveries.releasable()).toEqual([]);
    expect(receiver.deliveries).toHaveLength(EVENTS - ATTEMPTS_AT_ONCE.ofReceiver);
    const pending = () => living.gateway.database.orm.select().from(table).where(eq(table.status, 'PENDING'));
    await poll(async () => (await pending()).length).toBe(0);
  });

  test('begin one at a time while its last attempt failed, and together once it answers', async () => {
    await register('failing');
    const { deliveries } = living.gateway.records;
    const [first, ...begun] = [
      ...(await record(anEvent())),
      ...(await record(anEvent())),
      ...(await record(anEvent())),
    ];
    await attempted(first!, 'failed');
    expect([await record(anEvent()), await record(anEvent())]).toEqual([[], []]);
    expect(await deliveries.releasable()).toEqual([]);
    for (const id of begun) await attempted(id, 'failed');
    expect(await deliveries.releasable()).toHaveLength(1);
    await attempted((await record(anEvent(), `${receiver.url}/upload`))[0]!, 'delivered');
    expect(await deliveries.releasable()).toHaveLength(1);
    await attempted(first!, 'delivered', 2);
    expect(await deliveries.releasable()).toHaveLength(3);
  });

  test('wait without a workflow if their first attempt finds no place', async () => {
    await register('busy');
    const [id] = await record(anEvent());
    const { deliveries } = living.gateway.records;
    await deliveries.holdBack(id!);
    expect(await deliveries.context(id!)).toMatchObject({ waited: true });
    const [released] = await deliveries.releasable();
    expect(released).toMatchObject({ deliveryId: id });
    await deliveries.noteReleased([id!]);
    // The activity whose answer was lost notes it again.
    await deliveries.holdBack(id!);
    expect(await deliveries.releasable()).toEqual([]);
  });

  test('end with their endpoint', async () => {
    const id = await register('doomed');
    for (let n = 0; n < EVENTS; n += 1) await record(anEvent());
    await send('PATCH', `/v1/webhooks/${id}`, { body: { enabled: false } });
    const left = await living.gateway.database.orm.select().from(table).where(eq(table.status, 'PENDING'));
    expect(left).toEqual([]);
  });
});
