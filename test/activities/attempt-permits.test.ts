import { expect, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Failure } from '@burnish/contract';
import { createAttemptPermits } from '../../src/activities/attempt-permits.ts';
import { createDeliverySender, createNotifyActivities } from '../../src/activities/notify.ts';
import type { DeliveryContext } from '../../src/database/webhooks/deliveries.ts';
import { ATTEMPTS_AT_ONCE, type DeliveryAttempt } from '../../src/domain/events/delivery.ts';
import { DELIVERY_TIMEOUT_MS } from '../../src/domain/temporal/timeouts.ts';
import '../setup/quiet-temporal.ts';
import { createGate } from '../support/gate.ts';

const { ofReceiver, ofAccount } = ATTEMPTS_AT_ONCE;
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

/** Attempts whose ids name account, receiver and number: `a/slow/1`. Receivers named `slow…` answer when the gate opens. */
function setUp() {
  const gate = createGate();
  const [sent, postponed, waiting]: [string[], string[], string[]] = [[], [], []];
  const activities = createNotifyActivities({
    deliveries: {
      recordRedelivery: () => Promise.resolve(true),
      context(id) {
        const [accountId, receiver] = id.split('/') as [string, string];
        const delivery = { accountId, endpointId: null, url: `https://${receiver}.example/${id}` };
        const event = { id: 'evt_1', event: 'upload.deleted', data: {}, created: '2026-01-01T00:00:00Z' };
        const context = {
          delivery,
          event,
          secrets: [SECRET],
          waited: waiting.includes(id),
          endpointGone: false,
          ofTest: false,
        };
        return Promise.resolve(context as unknown as DeliveryContext);
      },
      recordAttempt: () => Promise.resolve(true),
      postpone: (id) => Promise.resolve(void postponed.push(id)),
      holdBack: (id) => Promise.resolve(void waiting.push(id)),
    },
    send: createDeliverySender({
      async post(url) {
        sent.push(new URL(url).pathname.slice(1));
        if (new URL(url).host.startsWith('slow')) await gate.opened;
        return { status: 204, answer: '', retryAfterMs: null, latencyMs: 1 };
      },
    }),
  });
  const attempt = (deliveryId: string): Promise<unknown> =>
    new MockActivityEnvironment().run(activities.attemptDelivery, { deliveryId, number: 2, nextAttemptAt: null });
  const first = (deliveryId: string) =>
    new MockActivityEnvironment().run(activities.notifyReceivers, {
      deliveryIds: [deliveryId],
      nextAttemptAt: '2026-01-01T00:00:05Z',
    });
  const hang = (account: string, receiver: string, count: number): Promise<unknown>[] =>
    Array.from({ length: count }, (_, n) => attempt(`${account}/${receiver}/${n}`));
  return { gate, sent, postponed, waiting, attempt, first, hang };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

test('a receiver without an answer holds its share of attempts, and further ones get turns that are apart', async () => {
  const { gate, sent, postponed, waiting, attempt, first, hang } = setUp();
  const running = hang('a', 'slow', ofReceiver);
  await settled();
  const turns: number[] = [];
  for (const id of ['a/slow/x', 'a/slow/y', 'a/slow/z']) {
    const refusal = await attempt(id).then(
      () => undefined,
      (error: unknown) => error as Failure,
    );
    expect(refusal).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    turns.push(refusal!.retryAfterSeconds!);
  }
  // A permit is certain to become free every 15 s / 12.
  expect(turns.map((seconds) => Math.round(seconds / 1.25))).toEqual([1, 2, 3]);
  expect(postponed).toEqual(['a/slow/x', 'a/slow/y', 'a/slow/z']);
  // A first attempt has no workflow of its own yet, and gets none until its turn.
  expect(await first('a/slow/w')).toEqual([]);
  expect(waiting).toEqual(['a/slow/w']);
  expect(sent).toHaveLength(ofReceiver);

  for (const id of ['a/quick/1', 'b/slow/1', 'b/quick/1']) void attempt(id);
  await settled();
  expect(sent.slice(ofReceiver)).toEqual(['a/quick/1', 'b/slow/1', 'b/quick/1']);
  gate.open();
  await Promise.all(running);
  // A repetition of the activity leaves it to its workflow; another one has a permit now.
  expect([await first('a/slow/w'), await first('a/slow/v')]).toEqual([[], []]);
  expect(sent.slice(ofReceiver + 3)).toEqual(['a/slow/v']);
});

test('an account with many receivers without an answer holds its share, and another account is not refused', async () => {
  const { gate, sent, attempt, hang } = setUp();
  const receivers = ofAccount / ofReceiver;
  const running = Array.from({ length: receivers }, (_, n) => hang('a', `slow${n}`, ofReceiver)).flat();
  await settled();
  await expect(attempt('a/quick/1')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await attempt('b/quick/1');
  expect(sent).toHaveLength(ofAccount + 1);
  gate.open();
  await Promise.all(running);
  await attempt('a/quick/1');
});

test('a receiver without an answer in time gets one attempt at a time, until it answers', async () => {
  const permits = createAttemptPermits();
  const receiver = (accountId: string) => ({ accountId, endpointId: 'whk_1', url: 'https://a.example/' });
  const attempt = async (outcome: Partial<DeliveryAttempt>, until: Promise<void> = Promise.resolve()) => {
    await until;
    return { httpStatus: null, latencyMs: 1, ...outcome } as DeliveryAttempt;
  };
  const [silent, refused, answered] = [{ latencyMs: DELIVERY_TIMEOUT_MS }, { latencyMs: 3 }, { httpStatus: 500 }];
  const gate = createGate();
  const hold = (accountId: string, outcome: Partial<DeliveryAttempt>, until?: Promise<void>) =>
    permits.hold(receiver(accountId), () => attempt(outcome, until));
  const bothRun = async (accountId: string): Promise<boolean> => {
    const outcomes = await Promise.all([hold(accountId, answered), hold(accountId, answered)]);
    return outcomes.every((outcome) => !('deferredMs' in outcome));
  };

  await hold('a', silent);
  const running = hold('a', answered, gate.opened);
  expect(await hold('a', answered)).toEqual({ deferredMs: DELIVERY_TIMEOUT_MS });
  expect(await bothRun('b')).toBe(true);
  gate.open();
  await running;
  expect(await bothRun('a')).toBe(true);
  // A refused connection holds no permit.
  await hold('a', refused);
  expect(await bothRun('a')).toBe(true);
});
