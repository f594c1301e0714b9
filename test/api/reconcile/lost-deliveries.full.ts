import { expect, test } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { returnDeliveries } from '../../../src/api/reconcile/return-deliveries.ts';
import { keepReleasing } from '../../../src/api/webhooks/release-deliveries.ts';
import { startDelivery } from '../../../src/api/webhooks/start-delivery.ts';
import { deliveries as table, deliveryAttempts } from '../../../src/database/schema/webhooks.ts';
import { ATTEMPTS_AT_ONCE } from '../../../src/domain/events/delivery.ts';
import { deliveryWorkflowId } from '../../../src/domain/temporal/workflow-interface.ts';
import { parseAllowedHosts } from '../../../src/net/allowed-hosts.ts';
import { listenHttp } from '../../support/local-server.ts';
import { poll } from '../../support/poll.ts';
import { jpeg } from '../support/files.ts';
import { useLivingGateway } from '../support/living-gateway.ts';
import { useRecordedDeliveries } from '../support/recorded-deliveries.ts';

const living = useLivingGateway({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1') });
const { receiver, anEvent, record, register } = useRecordedDeliveries(living);
const LOOK_MS = { busy: 25, idle: 50 };
const MINUTE_MS = 60_000;

const read = async (id: string) => (await living.gateway.database.orm.select().from(table).where(eq(table.id, id)))[0]!;
const start = (deliveryId: string): Promise<void> =>
  startDelivery(
    living.client,
    'burnish',
    { deliveryId, accountId: living.gateway.account.id, host: '127.0.0.1', eventKind: 'upload.deleted' },
    'in a test',
  );
const runs = async (deliveryId: string): Promise<string> =>
  (await living.client.workflow.getHandle(deliveryWorkflowId(deliveryId)).describe()).status.name;

/** Looks for claims without an owner as at a later time. */
function lookAfter(ms: number): Promise<number> {
  living.gateway.clock.aheadMs = ms;
  return returnDeliveries(living.reconciling, new AbortController().signal);
}

async function whileReleasing(work: () => Promise<void>): Promise<void> {
  const stop = keepReleasing(living.reconciling, LOOK_MS);
  await work().finally(stop);
}

test('deliveries that no workflow has let all events to their receiver pass again, each once', async () => {
  await register('healthy');
  const events = Array.from({ length: ATTEMPTS_AT_ONCE.ofReceiver + 4 }, anEvent);
  for (const event of events) await record(event);
  expect(await lookAfter(0)).toBe(0);
  // Two gateways may look at once.
  const returned = await Promise.all([lookAfter(MINUTE_MS), lookAfter(MINUTE_MS)]);
  expect(returned[0] + returned[1]).toBe(ATTEMPTS_AT_ONCE.ofReceiver);
  await whileReleasing(() => poll(() => receiver.deliveries.length, { timeout: 30_000 }).toBe(events.length));
  expect(receiver.deliveries.map(({ event }) => event.id).sort()).toEqual(events.map(({ id }) => id).sort());
  expect(await lookAfter(2 * MINUTE_MS)).toBe(0);
});

test('a delivery that loses its workflow between two attempts makes the next one once it is due', async () => {
  await register('healthy');
  const [id] = await record(anEvent());
  const nextAttemptAt = new Date(Date.now() + 5 * MINUTE_MS).toISOString();
  const made = { number: 1, httpStatus: 500, latencyMs: 1, answer: '', retryAfterMs: null, outcome: 'failed' } as const;
  await living.gateway.records.deliveries.recordAttempt(
    id!,
    { ...made, at: new Date(Date.now() - 5 * MINUTE_MS).toISOString() },
    { status: 'PENDING', nextAttemptAt },
  );
  expect(await lookAfter(5 * MINUTE_MS)).toBe(0);
  expect(await lookAfter(6 * MINUTE_MS)).toBe(1);
  await whileReleasing(() => poll(async () => (await read(id!)).status, { timeout: 30_000 }).toBe('DELIVERED'));
  expect(await read(id!)).toMatchObject({ attempts: 2 });
});

test('a delivery whose workflow lives is left to it, and looked at again later', async () => {
  await register('healthy');
  await living.rest();
  try {
    const [id] = await record(anEvent());
    await start(id!);
    expect(await lookAfter(MINUTE_MS)).toBe(0);
    const { overdue } = living.gateway.records.deliveries;
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    expect(await overdue(at(MINUTE_MS - 10_000), 10)).toEqual([]);
    expect(await overdue(at(MINUTE_MS + 10_000), 10)).toMatchObject([{ id }]);
    await living.client.workflow.getHandle(deliveryWorkflowId(id!)).terminate('lost');
    expect(await lookAfter(2 * MINUTE_MS)).toBe(1);
    expect(await read(id!)).toMatchObject({ held: 'waiting' });
  } finally {
    await living.work();
  }
});

test('a record that is older than the end of its workflow ends without another attempt', async () => {
  await register('healthy');
  const [id] = await record(anEvent());
  await start(id!);
  await poll(() => runs(id!), { timeout: 30_000 }).toBe('COMPLETED');
  const { orm } = living.gateway.database;
  await orm.delete(deliveryAttempts);
  await orm.update(table).set({ status: 'PENDING', attempts: 0 });
  expect(await lookAfter(MINUTE_MS)).toBe(1);
  expect(await read(id!)).toMatchObject({ status: 'DELIVERED', nextAttemptAt: null });
  expect(receiver.deliveries).toHaveLength(1);
});

test('a first attempt is left to the workflow of its upload while that makes it', async () => {
  let asked = 0;
  await using silent = await listenHttp(() => void (asked += 1));
  const path = `/v1/uploads?webhookUrl=${encodeURIComponent(silent.url)}`;
  const headers = { 'Content-Type': 'image/jpeg' };
  const body = new Uint8Array(await jpeg(7));
  expect((await living.gateway.fetch(path, { method: 'POST', headers, body })).status).toBe(202);
  await poll(() => asked, { timeout: 30_000 }).toBe(1);
  expect(await lookAfter(30_000)).toBe(0);
  await living.loseWorkflows();
  expect(await lookAfter(MINUTE_MS)).toBe(1);
});
