import '../setup/quiet-temporal.ts';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { SEED_PLANS, type BatchItem, type BatchStatus, type CountedBatch, Failure } from '@burnish/contract';
import { batchWindow } from '../../src/domain/batch/batch-rules.ts';
import { remainingSeconds } from '../../src/domain/batch/prediction.ts';
import { BATCH_WAITS } from '../../src/domain/temporal/waits.ts';
import {
  approveBatch,
  batchItemsAdded,
  cancelBatch,
  closeBatch,
  pauseBatch,
  resumeBatch,
  retryBatch,
} from '../../src/domain/temporal/workflow-interface.ts';
import { createGate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { createTestBatches } from './batches.ts';
import { startLifecycle, type Lifecycle } from './lifecycle.ts';
import { startReceiver } from './receiver.ts';
import { refusalCode } from './refusal.ts';

/** The price of one image with the default parameters. */
const PRICE = 1;
const files = (count: number): object[] => Array.from({ length: count }, () => ({}));
const statesOf = (items: readonly BatchItem[]): string[] => items.map(({ state }) => state);
const is = (status: BatchStatus) => (batch: CountedBatch) => batch.status === status;

let lifecycle: Lifecycle;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let batches: ReturnType<typeof createTestBatches>;

beforeAll(async () => {
  receiver = await startReceiver([200]);
  lifecycle = await startLifecycle({ creditsPerPeriod: 10_000 });
  batches = createTestBatches(lifecycle);
  await lifecycle.stores.webhookEndpoints.create(lifecycle.account.id, {
    url: receiver.url,
    events: ['batch.approval_needed', 'batch.half_done', 'batch.trouble', 'batch.ended'],
  });
});
afterAll(async () => {
  await lifecycle[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** The events of a batch, by name. */
async function eventsOf(id: string): Promise<string[]> {
  const { rows } = await lifecycle.database.orm.execute<{ event: string }>(
    sql`select event from webhook_events where data ->> 'id' = ${id} order by event`,
  );
  return rows.map(({ event }) => event);
}

/** The numbers of the batch, counted from its items. */
async function counted(id: string): Promise<Record<string, number>> {
  const items = await batches.items(id);
  const of = (state: BatchItem['state']): number => items.filter((item) => item.state === state).length;
  return {
    items: items.length,
    running: of('RUNNING'),
    finished: of('FINISHED'),
    failed: of('FAILED'),
    cancelled: of('CANCELLED'),
    chargedCredits: items.reduce((sum, { credits }) => sum + (credits ?? 0), 0),
  };
}

/** Lets the engine fail, or wait, on the given uploads. */
function script(act: (uploadId: string, enhancementId: string) => Promise<void>): void {
  lifecycle.provider.script = { enhance: ({ source, enhancementId }) => act(source.uploadId, enhancementId) };
}

describe('a batch without samples', () => {
  it('enhances each item once, and ends after it is closed', async () => {
    const id = await batches.start({ files: files(3), open: true });
    const running = await batches.reaches(id, ({ finished }) => finished === 3);
    expect(running).toMatchObject({ status: 'RUNNING', finishedAt: null });
    await batches.add(id, files(2));
    await batches.send(id, closeBatch);
    const ended = await batches.reaches(id, is('FINISHED'));
    expect(ended).toMatchObject({ items: 5, finished: 5, failed: 0, chargedCredits: 5 * PRICE });
    expect(ended).toMatchObject(await counted(id));
    const items = await batches.items(id);
    expect(new Set(items.map(({ enhancementId }) => enhancementId)).size).toBe(5);
    expect(await eventsOf(id)).toEqual(['batch.ended', 'batch.half_done']);
  });

  it('shows the time that is left by the pace of its last items', async () => {
    const id = await batches.start({ files: [], open: true });
    for (const ended of [1, 2, 3, 4]) {
      // The last three end a minute after each other. The first one is from before a pause.
      await lifecycle.passTime(ended === 2 ? '20 min' : '1 min');
      await batches.add(id, files(1));
      await batches.handle(id).signal(batchItemsAdded);
      await batches.reaches(id, ({ finished }) => finished === ended);
    }
    await batches.add(id, Array(5).fill({ declared: { size: 30_000, mimetype: 'image/jpeg' } }));
    const { pace } = await batches.get(id);
    expect(pace!.items).toBe(2);
    expect(pace!.seconds).toBeGreaterThanOrEqual(120);
    expect(pace!.seconds).toBeLessThan(150);
    expect(remainingSeconds(await batches.get(id))).toBeNull();
    await batches.send(id, closeBatch);
    expect(remainingSeconds(await batches.get(id))).toBe(Math.ceil((5 * pace!.seconds) / 2));
    const [newest] = (await lifecycle.stores.batches.list(lifecycle.account.id, { limit: 1 })).items;
    expect(newest).toMatchObject({ id, pace });
    await batches.send(id, cancelBatch);
    expect((await batches.get(id)).pace).toBeUndefined();
  });

  it('starts an item once when a worker dies before it records the start', async () => {
    const id = await batches.start({ files: files(1), open: true });
    await batches.reaches(id, ({ finished }) => finished === 1);
    const [first] = await batches.items(id);
    await lifecycle.database.orm.execute(
      sql`with again as (update batch_items set state = 'RUNNING', enhancement_id = null, credits = null where batch_id = ${id})
        update batches set running = 1, finished = 0, charged_credits = 0 where id = ${id}`,
    );
    await batches.send(id, closeBatch);
    const ended = await batches.reaches(id, is('FINISHED'));
    expect(ended).toMatchObject({ finished: 1, running: 0, chargedCredits: PRICE });
    expect((await batches.items(id))[0]).toMatchObject({
      enhancementId: first!.enhancementId,
      uploadId: first!.uploadId,
    });
  });

  it('waits for an upload without its file, and continues as new meanwhile', async () => {
    const id = await batches.start({ files: [{ declared: { size: 30_000, mimetype: 'image/jpeg' } }] });
    const first = await batches.handle(id).describe();
    await lifecycle.passTime('61 min');
    const ended = await batches.reaches(id, is('FINISHED'));
    expect(ended).toMatchObject({ failed: 1, finished: 0, chargedCredits: 0 });
    expect((await batches.items(id))[0]).toMatchObject({ state: 'FAILED', errorCode: 'SIGNED_URL_EXPIRED' });
    const last = await batches.handle(id).describe();
    expect(last.runId).not.toBe(first.runId);
    expect(last.historyLength).toBeLessThan(1_200);
  });
});

it('a batch looks again sooner while most of its items end between two looks', async () => {
  const id = await batches.start({ files: files(3 * batchWindow(SEED_PLANS.FREE.fairnessWeight)) });
  await batches.reaches(id, is('FINISHED'));
  const { events } = await batches.handle(id).fetchHistory();
  const pauses = events!.flatMap(({ timerStartedEventAttributes: timer }) =>
    timer ? [1_000 * Number(timer.startToFireTimeout!.seconds) + timer.startToFireTimeout!.nanos! / 1e6] : [],
  );
  expect(Math.min(...pauses)).toBeLessThan(BATCH_WAITS.usualMs);
});

describe('the samples of a batch', () => {
  it('are all items of a small batch, which then needs no approval', async () => {
    const id = await batches.start({ files: files(2), samples: 20 });
    expect(await batches.reaches(id, is('FINISHED'))).toMatchObject({ finished: 2, approvedAt: null });
    expect(await eventsOf(id)).not.toContain('batch.approval_needed');
  });

  it('cannot be approved before they have ended', async () => {
    const id = await batches.start({ files: files(1), samples: 20, open: true });
    expect(await refusalCode(batches.send(id, approveBatch))).toBe('CONFLICT');
    await batches.send(id, cancelBatch);
  });
});

describe('the budget of a batch', () => {
  it('pauses it before the next item exceeds it, and a higher one continues it', async () => {
    const id = await batches.start({ files: files(4), maxCredits: 3 * PRICE });
    const paused = await batches.reaches(id, is('PAUSED'));
    expect(paused).toMatchObject({ pauseReason: 'budget', finished: 3, running: 0, chargedCredits: 3 * PRICE });
    expect(await refusalCode(batches.send(id, resumeBatch, {}))).toBe('BAD_USER_INPUT');
    expect(await refusalCode(batches.send(id, resumeBatch, { maxCredits: 3 * PRICE }))).toBe('BAD_USER_INPUT');
    await batches.send(id, resumeBatch, { maxCredits: 4 * PRICE });
    expect(await batches.reaches(id, is('FINISHED'))).toMatchObject({ finished: 4, chargedCredits: 4 * PRICE });
    expect(await eventsOf(id)).toEqual(expect.arrayContaining(['batch.trouble', 'batch.ended']));
  });

  it('covers the estimate of a PDF, or leaves the PDF pending', async () => {
    lifecycle.provider.script = { estimate: () => Promise.resolve(9) };
    const pdfs = files(2).map(() => ({ mimetype: 'application/pdf' as const, content: `%PDF ${Math.random()}` }));
    const id = await batches.start({ files: pdfs, maxCredits: 10 });
    const paused = await batches.reaches(id, is('PAUSED'));
    expect(paused).toMatchObject({ pauseReason: 'budget', finished: 1, running: 0 });
    expect(paused.chargedCredits).toBeLessThanOrEqual(10);
    expect(statesOf(await batches.items(id)).toSorted()).toEqual(['FINISHED', 'PENDING']);
    await batches.send(id, resumeBatch, { maxCredits: 18 });
    expect(await batches.reaches(id, is('FINISHED'))).toMatchObject({ finished: 2, failed: 0 });
    lifecycle.provider.script = {};
  });
});

describe('a batch whose account has too few credits', () => {
  it('pauses without a failed item, and continues after a top-up', async () => {
    const { account, ledger } = lifecycle;
    const nowMs = await lifecycle.env.currentTimeMs();
    const others = { accountId: account.id, enhancementId: 'enh_of_others', nowMs };
    await ledger.reserve({ ...others, credits: (await lifecycle.balance()).remaining - 2 * PRICE });
    const id = await batches.start({ files: files(4) });
    const paused = await batches.reaches(id, (batch) => batch.status === 'PAUSED' && batch.running === 0);
    expect(paused).toMatchObject({ pauseReason: 'credits', finished: 2, failed: 0 });
    await ledger.topUp({ accountId: account.id, credits: 100, reference: 'more', nowMs });
    await batches.send(id, resumeBatch, {});
    expect(await batches.reaches(id, is('FINISHED'))).toMatchObject({
      finished: 4,
      failed: 0,
      chargedCredits: 4 * PRICE,
    });
    await ledger.release(others);
  });
});

describe('commands', () => {
  it('pause and resume: running items end, and no further one starts', async () => {
    const gate = createGate();
    script(() => gate.opened);
    const atOnce = batchWindow(SEED_PLANS.FREE.fairnessWeight);
    const all = atOnce + 3;
    const id = await batches.start({ files: files(all), open: true });
    await batches.reaches(id, ({ running }) => running === atOnce);
    expect(await batches.send(id, pauseBatch)).toMatchObject({ status: 'PAUSED', pauseReason: 'request' });
    gate.open();
    const paused = await batches.reaches(id, ({ running }) => running === 0);
    expect(paused).toMatchObject({ status: 'PAUSED', finished: atOnce });
    await batches.send(id, closeBatch);
    expect(await batches.get(id)).toMatchObject({ status: 'PAUSED', pauseReason: 'request' });
    await batches.send(id, resumeBatch, {});
    expect(await batches.reaches(id, is('FINISHED'))).toMatchObject({ finished: all, ...(await counted(id)) });
    lifecycle.provider.script = {};
  });

  it('retry: a failed item runs again after the end, with a new enhancement', async () => {
    const bad = new Set<string>();
    script((uploadId) =>
      bad.has(uploadId) ? Promise.reject(new Failure('PROCESSING_LIMIT', { detail: 'Too slow.' })) : Promise.resolve(),
    );
    const id = await batches.start({ files: [], open: true });
    const [good, failing] = await batches.add(id, files(2));
    bad.add(failing!);
    await batches.send(id, closeBatch);
    expect(await batches.reaches(id, is('FINISHED'))).toMatchObject({ finished: 1, failed: 1 });
    const before = await batches.items(id);
    expect(before[1]).toMatchObject({ uploadId: failing, errorCode: 'PROCESSING_LIMIT', credits: 0 });

    bad.clear();
    expect(await batches.send(id, retryBatch)).toMatchObject({ status: 'RUNNING', round: 1 });
    const ended = await batches.reaches(id, is('FINISHED'));
    expect(ended).toMatchObject({ finished: 2, failed: 0, chargedCredits: 2 * PRICE });
    const after = await batches.items(id);
    expect(after[0]).toEqual(before.find(({ uploadId }) => uploadId === good));
    expect(after[1]!.enhancementId).not.toBe(before[1]!.enhancementId);
    expect((await eventsOf(id)).filter((event) => event === 'batch.ended')).toHaveLength(2);
    lifecycle.provider.script = {};
  });
});

it('retry: one failed item of two runs again, and the other one stays as it is', async () => {
  script(() => Promise.reject(new Failure('PROCESSING_LIMIT', { detail: 'Too slow.' })));
  const id = await batches.start({ files: files(2) });
  expect(await batches.reaches(id, is('FINISHED'))).toMatchObject({ failed: 2 });
  const [first, second] = await batches.items(id);
  lifecycle.provider.script = {};
  await batches.send(id, retryBatch, { keys: [second!.key, 'unknown'] });
  expect(await batches.reaches(id, is('FINISHED'))).toMatchObject({ finished: 1, failed: 1, round: 1 });
  expect((await batches.items(id))[0]).toEqual(first);
});

it('a batch reports many failures once', async () => {
  const gate = createGate();
  let waiting: string | undefined;
  script((uploadId) => {
    waiting ??= uploadId;
    if (uploadId === waiting) return gate.opened;
    return Promise.reject(new Failure('PROCESSING_LIMIT', { detail: 'Too slow.' }));
  });
  const id = await batches.start({ files: files(13) });
  await batches.reaches(id, ({ failed }) => failed === 12);
  await until(async () => (await eventsOf(id)).includes('batch.trouble') || undefined);
  gate.open();
  expect(await batches.reaches(id, is('FINISHED'))).toMatchObject({ failed: 12, finished: 1 });
  expect(await eventsOf(id)).toEqual(['batch.ended', 'batch.half_done', 'batch.trouble']);
  lifecycle.provider.script = {};
  const failed = (await batches.items(id)).filter(({ state }) => state === 'FAILED');
  expect(new Set(failed.map(({ errorCode }) => errorCode))).toEqual(new Set(['PROCESSING_LIMIT']));
});

it('a batch reports many failures also when all its items end at the same moment', async () => {
  script(() => Promise.reject(new Failure('PROCESSING_LIMIT', { detail: 'Too slow.' })));
  const id = await batches.start({ files: files(10) });
  expect(await batches.reaches(id, is('FINISHED'))).toMatchObject({ failed: 10 });
  expect(await eventsOf(id)).toEqual(['batch.ended', 'batch.half_done', 'batch.trouble']);
  lifecycle.provider.script = {};
});

// Behind the others: time never skips again on a server with a cancelled activity.
it('a cancelled batch charges nothing for pending and running items, and keeps finished ones', async () => {
  const id = await batches.start({ files: files(1), open: true });
  await batches.reaches(id, ({ finished }) => finished === 1);
  lifecycle.provider.script = {
    enhance: (_job, { signal }) => once(signal, 'abort').then(() => signal.throwIfAborted()),
  };
  await batches.add(id, files(5));
  await batches.handle(id).signal(batchItemsAdded);
  await batches.reaches(id, ({ running }) => running === 5);
  await batches.send(id, pauseBatch);
  await batches.add(id, files(3));
  expect((await lifecycle.balance()).reserved).toBeGreaterThan(0);
  expect(await batches.send(id, cancelBatch)).toMatchObject({ status: 'CANCELLED' });
  const ended = await batches.get(id);
  expect(ended).toMatchObject({ finished: 1, cancelled: 8, running: 0, chargedCredits: PRICE });
  expect((await lifecycle.balance()).reserved).toBe(0);
});

it('a batch ends without a further item once its account is deleted, and leaves no addresses', async () => {
  const id = await batches.start({ files: files(2), samples: 1, open: true });
  const { stores, account } = lifecycle;
  await stores.accounts.markDeleted(account.id);
  await stores.deletion.begin(account.id, new Date().toISOString());
  await batches.wake(id);
  await batches.handle(id).result();
  expect(await batches.get(id)).toMatchObject({ running: 0, finished: 0, status: 'COLLECTING' });
  await stores.deletion.finish(account.id, new Date().toISOString());
  expect([await stores.batches.get(account.id, id), await batches.items(id)]).toEqual([undefined, []]);
});
