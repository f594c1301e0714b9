import { createHmac } from 'node:crypto';
import { type WebhookEvent, Failure, newId } from '@burnish/contract';
import type { History } from './history-file.ts';
import { describe, expect, it, afterEach, beforeEach } from '@jest/globals';
import { DELIVERY_OFFSETS_MS } from '../../src/domain/temporal/retry-policies.ts';
import { deliveryWorkflowId, deleteUpload, MAIN_TASK_QUEUE } from '../../src/domain/temporal/workflow-interface.ts';
import { useLifecycle } from './use-lifecycle.ts';
import { until } from '../support/until.ts';
import { startReceiver, type ReceivedRequest } from './receiver.ts';
import '../setup/quiet-temporal.ts';
import type { Lifecycle } from './lifecycle.ts';

const lifecycle = useLifecycle();

const HOUR_MS = 3_600_000;

describe('the delivery of webhooks', () => {
  /** Enhances an image whose upload brought an address along, and follows the delivery of the end of the enhancement. */
  async function deliverTo(url: string) {
    const { id, handle, enhancementIds } = await lifecycle.start({
      enhancements: [{}],
      webhookUrl: url,
      // A child that ends after its parent would keep the test server from skipping time ever after.
      retentionDays: 100,
    });
    await lifecycle.enhancementReaches(enhancementIds[0]!, 'FINISHED');
    const { items } = await until(
      () => lifecycle.deliveries.list(lifecycle.account.id, { limit: 10 }),
      (page) => page.items.filter((item) => item.url === url).length === 2,
    );
    // The newest is the enhancement's; the one before it told that the upload had finished.
    const { id: deliveryId } = items.find((item) => item.url === url)!;
    const read = async () => (await lifecycle.deliveries.get(lifecycle.account.id, deliveryId))!;
    // Time passes in steps: to await a result would skip to the deletion of the upload, whose delivery ends after its parent.
    while ((await read()).status === 'PENDING') await lifecycle.passTime('6 hours');
    const record = await read();
    // The first attempt is made from the upload's own history.
    const scheduledMs = scheduledTimes((await handle.fetchHistory()).events, 'notifyReceivers').slice(-1);
    const retries = lifecycle.env.client.workflow.getHandle(deliveryWorkflowId(deliveryId));
    if (record.attempts > 1)
      scheduledMs.push(...scheduledTimes((await retries.fetchHistory()).events, 'attemptDelivery'));
    const attempts = (await lifecycle.deliveries.attempts(lifecycle.account.id, [deliveryId])).get(deliveryId)!;
    return {
      uploadId: id,
      enhancementId: enhancementIds[0]!,
      outcome: attempts.at(-1)!.outcome,
      record,
      attempts,
      scheduledMs,
      retried: await retries.describe().then(
        () => true,
        () => false,
      ),
    };
  }

  /** When the activities of a type were scheduled, milliseconds since the epoch. */
  function scheduledTimes(events: History['events'], type: string): number[] {
    return (events ?? [])
      .filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === type)
      .map(({ eventTime }) => Number(eventTime!.seconds) * 1000 + Math.floor((eventTime!.nanos ?? 0) / 1e6));
  }

  const ofEnhancement = (requests: ReceivedRequest[]): ReceivedRequest[] =>
    requests.filter(({ body }) => (JSON.parse(body) as WebhookEvent).event === 'enhanced_image.status_update');

  it('reports the upload and the enhancement, with a signature that the receiver can check', async () => {
    await using receiver = await startReceiver([204]);
    const { enhancementId, uploadId, outcome, record, retried } = await deliverTo(receiver.url);

    expect(outcome).toBe('delivered');
    // A delivery that goes well at once needs no workflow of its own.
    expect(retried).toBe(false);
    expect(record).toMatchObject({ status: 'DELIVERED', attempts: 1, nextAttemptAt: null });
    const [request] = ofEnhancement(receiver.requests);
    const event = JSON.parse(request!.body) as WebhookEvent;
    expect(event.data).toMatchObject({ id: enhancementId, uploadId, status: 'FINISHED', chargedCredits: 1 });

    // Standard Webhooks: base64 HMAC-SHA256 over id, timestamp and body, keyed by the secret after its prefix.
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request!.headers;
    const key = Buffer.from(lifecycle.account.webhookSecret.replace(/^whsec_/, ''), 'base64');
    const expected = createHmac('sha256', key)
      .update(`${String(id)}.${String(timestamp)}.${request!.body}`)
      .digest('base64');
    expect(signature).toBe(`v1,${expected}`);
    expect(id).toBe(event.id);
  });

  it('calls a failing receiver ten times, on the schedule', async () => {
    await using receiver = await startReceiver([500]);
    const { outcome, record, attempts, scheduledMs } = await deliverTo(receiver.url);

    expect(outcome).toBe('failed');
    expect(record).toMatchObject({ status: 'FAILED', attempts: 10, nextAttemptAt: null });
    expect(attempts.map(({ number, httpStatus, answer }) => [number, httpStatus, answer])).toEqual(
      DELIVERY_OFFSETS_MS.map((_, index) => [index + 1, 500, 'answer 500']),
    );
    const offsets = scheduledMs.map((at) => at - scheduledMs[0]!);
    offsets.forEach((offset, index) => {
      const planned = DELIVERY_OFFSETS_MS[index]!;
      const pause = planned - (DELIVERY_OFFSETS_MS[index - 1] ?? 0);
      expect(offset).toBeGreaterThanOrEqual(planned - 1000);
      // Jitter lengthens a pause by a tenth at most.
      expect(offset).toBeLessThanOrEqual(planned + pause * 0.1 + 5000);
    });
    const ids = new Set(ofEnhancement(receiver.requests).map(({ headers }) => headers['webhook-id']));
    expect(ids.size).toBe(1);
  });

  it('stops at the first successful answer', async () => {
    await using receiver = await startReceiver([500, 500, 503, 503, 200]);
    const { outcome, attempts } = await deliverTo(receiver.url);
    expect(outcome).toBe('delivered');
    expect(attempts.at(-1)).toMatchObject({ httpStatus: 200, outcome: 'delivered' });
  });

  it('treats a redirect as a failure', async () => {
    await using receiver = await startReceiver([
      { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
      302,
      200,
    ]);
    const { attempts } = await deliverTo(receiver.url);
    expect(attempts[0]).toMatchObject({ outcome: 'failed', httpStatus: 302 });
    expect(attempts.at(-1)).toMatchObject({ outcome: 'delivered' });
  });

  it('stops at once if the receiver answers 410', async () => {
    await using receiver = await startReceiver([410]);
    const { outcome, record, attempts } = await deliverTo(receiver.url);
    expect(outcome).toBe('gone');
    expect(record.status).toBe('FAILED');
    expect(attempts).toHaveLength(1);
  });

  it('waits as long as the receiver requests', async () => {
    const busy = { status: 429, headers: { 'retry-after': '7200' } };
    await using receiver = await startReceiver([busy, busy, 200]);
    const { attempts, scheduledMs } = await deliverTo(receiver.url);
    expect(attempts[0]).toMatchObject({ httpStatus: 429, retryAfterMs: 2 * HOUR_MS });
    expect(scheduledMs[1]! - scheduledMs[0]!).toBeGreaterThanOrEqual(2 * HOUR_MS);
  });

  it('logs the reason of a missing answer, and never calls a private address', async () => {
    await using receiver = await startReceiver([200]);
    const { port } = new URL(receiver.url);
    const { outcome, attempts } = await deliverTo(`http://[::1]:${port}/hook`);
    expect(outcome).toBe('failed');
    expect(attempts.every(({ httpStatus }) => httpStatus === null)).toBe(true);
    expect(attempts[0]!.answer).toMatch(/private network/);
    expect(receiver.requests).toEqual([]);
  });
});

describe('an upload whose deliveries a restored database has lost', () => {
  let context: Lifecycle['deliveries']['context'];
  beforeEach(() => {
    ({ context } = lifecycle.deliveries);
  });
  afterEach(() => void (lifecycle.deliveries.context = context));

  it.each([
    ['sends nothing', () => Promise.resolve(undefined)],
    ['is not stopped by the failure that an earlier worker recorded', () => Promise.reject(new Failure('NOT_FOUND'))],
  ])('%s, finishes and is deleted', async (_what, lost) => {
    await using receiver = await startReceiver([200]);
    lifecycle.deliveries.context = lost;
    const { id, handle, enhancementIds } = await lifecycle.start({ enhancements: [{}], webhookUrl: receiver.url });
    expect(await lifecycle.settled(enhancementIds[0]!)).toMatchObject({ status: 'FINISHED' });
    expect(await handle.executeUpdate(deleteUpload)).toMatchObject({ id, status: 'UPLOAD_DELETED' });
    await handle.result();
    expect(receiver.requests).toEqual([]);
    const { events } = await handle.fetchHistory();
    expect((events ?? []).filter((event) => event.workflowTaskFailedEventAttributes)).toEqual([]);
  });

  it('ends the delivery workflow of a missing delivery', async () => {
    lifecycle.deliveries.context = () => Promise.resolve(undefined);
    const deliveryId = newId('dlv', Date.now());
    const handle = await lifecycle.client.workflow.start('delivery', {
      workflowId: deliveryWorkflowId(deliveryId),
      taskQueue: MAIN_TASK_QUEUE,
      args: [{ deliveryId, accountId: lifecycle.account.id, host: 'example.com', eventKind: 'upload.deleted' }],
    });
    expect(await handle.result()).toBe('gone');
  });
});

it('a repeated delivery adds itself to the log, carries the same event, and does not change the first', async () => {
  await using receiver = await startReceiver([200]);
  const { id } = await lifecycle.start({ webhookUrl: receiver.url });
  await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
  const { account, deliveries, env } = lifecycle;
  const [first] = await until(
    async () => (await deliveries.list(account.id, { limit: 10 })).items.filter(({ uploadId }) => uploadId === id),
    (items) => items[0]?.status === 'DELIVERED',
  );

  // Nobody else has entered it: the gateway may be killed right after the start.
  const deliveryId = `dlv_${'1'.repeat(26)}`;
  const { eventKind } = first!;
  const input = { deliveryId, accountId: account.id, host: 'receiver', eventKind, redeliveryOf: first!.id };
  const start = { workflowId: deliveryWorkflowId(deliveryId), taskQueue: MAIN_TASK_QUEUE, args: [input] };
  const handle = await env.client.workflow.start('delivery', start);
  expect(await handle.result()).toBe('delivered');

  expect(await deliveries.get(account.id, deliveryId)).toMatchObject({
    status: 'DELIVERED',
    attempts: 1,
    eventId: first!.eventId,
    url: receiver.url,
    redeliveryOf: first!.id,
  });
  expect(await deliveries.get(account.id, first!.id)).toEqual(first);
  const [one, two] = receiver.requests;
  expect(two!.body).toBe(one!.body);
  expect(two!.headers['webhook-id']).toBe(one!.headers['webhook-id']);
});
