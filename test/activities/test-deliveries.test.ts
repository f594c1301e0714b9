import { expect, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createNotifyActivities } from '../../src/activities/notify.ts';
import type { DeliveryContext } from '../../src/database/webhooks/deliveries.ts';
import type { DeliveryAttempt } from '../../src/domain/events/delivery.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

/** An attempt of an event with a reference, to a receiver that answers 204. */
async function attempt(reference: string, number: number, ofTest = true): Promise<DeliveryAttempt & { sent: number }> {
  let sent = 0;
  const url = 'https://example.com/hook';
  const event = { id: 'evt_1', event: 'upload.deleted' as const, data: { reference }, created: '2026-01-01T00:00:00Z' };
  const context = { url, event, secrets: [SECRET], endpointGone: false, ofTest, delivery: { url } };
  const { attemptDelivery } = createNotifyActivities({
    deliveries: {
      recordRedelivery: () => Promise.resolve(true),
      context: () => Promise.resolve(context as unknown as DeliveryContext),
      recordAttempt: () => Promise.resolve(true),
      postpone: () => Promise.resolve(),
      holdBack: () => Promise.resolve(),
    },
    safeFetch: {
      post: () => {
        sent += 1;
        return Promise.resolve({ status: 204, answer: '', retryAfterMs: null, latencyMs: 1 });
      },
    },
  });
  const order = { deliveryId: 'dlv_1', number, nextAttemptAt: null };
  const made: DeliveryAttempt = await new MockActivityEnvironment().run(attemptDelivery, order);
  return { ...made, sent };
}

test.each([
  ['delivery-500', 10, { outcome: 'failed', httpStatus: 500 }],
  ['delivery-redirect', 2, { outcome: 'failed', httpStatus: 302 }],
  ['delivery-timeout', 1, { outcome: 'failed', httpStatus: null }],
  ['delivery-410', 1, { outcome: 'gone', httpStatus: 410 }],
  ['delivery-retry', 1, { outcome: 'failed', httpStatus: 503, retryAfterMs: 60_000 }],
  ['delivery-retry', 2, { outcome: 'delivered', httpStatus: 204, retryAfterMs: null }],
  ['CORRUPT_FILE', 1, { outcome: 'delivered', httpStatus: 204 }],
])('test:%s sets the outcome of attempt %i, which the receiver gets', async (name, number, outcome) => {
  expect(await attempt(`test:${name}`, number)).toMatchObject({ ...outcome, number, sent: 1 });
});

test('a slow delivery is sent late, and counts as it is', async () => {
  const started = performance.now();
  expect(await attempt('test:delivery-slow', 1)).toMatchObject({ outcome: 'delivered', httpStatus: 204, sent: 1 });
  expect(performance.now() - started).toBeGreaterThan(1_900);
});

test('the reference of any other account has no effect on its deliveries', async () => {
  expect(await attempt('test:delivery-500', 1, false)).toMatchObject({ outcome: 'delivered', httpStatus: 204 });
});
