import { expect, test } from '@jest/globals';
import type { RecordedEnhancement } from '@burnish/contract';
import type { Input } from '../../src/activities/inputs/schemas.ts';
import { createDeliverySender } from '../../src/activities/notify.ts';
import type { DeliveryContext } from '../../src/database/webhooks/deliveries.ts';
import type { DeliveryAttempt } from '../../src/domain/events/delivery.ts';
import { withTestOutcomes } from '../../src/test-accounts/outcomes.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const BALANCE = { granted: 1_000, remaining: 700 };

/** A worker whose receivers answer 204. Counts real deliveries, writes to destinations and reserved credits. */
function setUp(recorded: Partial<RecordedEnhancement> = {}) {
  const seen = { sent: 0, written: 0, reserved: [] as unknown[] };
  const post = () => {
    seen.sent += 1;
    return Promise.resolve({ status: 204, answer: '', retryAfterMs: null, latencyMs: 1 });
  };
  const parts = {
    ledger: { balance: () => Promise.resolve(BALANCE) },
    uploads: { get: () => Promise.resolve({ reference: null }) },
    enhancements: { get: () => Promise.resolve(recorded) },
    send: createDeliverySender({ post }),
    writeToDestination: () => {
      seen.written += 1;
      return Promise.resolve({ key: null });
    },
    steps: {
      beginEnhancement: ({ credits }: { credits: unknown }) => {
        seen.reserved.push(credits);
        return Promise.resolve({ outcome: 'lacking' });
      },
    },
  };
  return { seen, ...withTestOutcomes(parts as unknown as Parameters<typeof withTestOutcomes>[0]) };
}

/** An attempt of an event with a reference. */
async function attempt(reference: string, number: number, ofTest = true): Promise<DeliveryAttempt & { sent: number }> {
  const { seen, send } = setUp();
  const event = { id: 'evt_1', event: 'upload.deleted' as const, data: { reference }, created: '2026-01-01T00:00:00Z' };
  const context = { event, secrets: [SECRET], ofTest, delivery: { url: 'https://example.com/hook' } };
  const sent = await send(context as unknown as DeliveryContext, number);
  return { ...sent, sent: seen.sent };
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

const work = { accountId: 'acc_1', enhancementId: 'enh_1', uploadId: 'upl_1' } as Input<'writeToDestination'>;

test.each([
  ['test:DESTINATION_REFUSED', null, 'DESTINATION_REFUSED'],
  ['test:wait-destination', null, 'DESTINATION_UNAVAILABLE'],
  ['test:wait-destination', 'destination', 'written'],
  ['test:CORRUPT_FILE', null, 'written'],
] as const)('%s of a test account, while the record waits for %s: %s', async (reference, waitingFor, outcome) => {
  const { seen, writeToDestination } = setUp({ provider: 'test', reference, waitingFor });
  const ended = await writeToDestination(work).then(
    () => 'written',
    (error: unknown) => (error as { code: string }).code,
  );
  expect([ended, seen.written]).toEqual([outcome, outcome === 'written' ? 1 : 0]);
});

test.each(['test:DESTINATION_REFUSED', 'test:wait-destination'])(
  'the reference %s of any other account has no effect on its destinations',
  async (reference) => {
    const { seen, writeToDestination } = setUp({ provider: 'local', reference });
    await writeToDestination(work);
    expect(seen.written).toBe(1);
  },
);

test.each([
  ['test', 'test:wait-credits', 'QUEUED', 701],
  ['test', 'test:wait-credits', 'AWAITING_CREDITS', 4],
  ['test', 'test:credits-low', 'QUEUED', 500],
  ['test', 'test:CORRUPT_FILE', 'QUEUED', 4],
  ['local', 'test:wait-credits', 'QUEUED', 4],
] as const)(
  'the provider %s with the reference %s in state %s reserves %i credits',
  async (provider, reference, status, reserved) => {
    const { seen, steps } = setUp({ provider, reference, status });
    const enhancement = { id: 'enh_1', uploadId: 'upl_1', accountId: 'acc_1', provider };
    await steps.beginEnhancement({ enhancement, credits: 4, nowMs: 0 } as Parameters<typeof steps.beginEnhancement>[0]);
    expect(seen.reserved).toEqual([reserved]);
  },
);
