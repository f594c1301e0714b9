import '../setup/quiet-temporal.ts';
import { expect, test } from '@jest/globals';
import {
  approveBatch,
  closeBatch,
  pauseBatch,
  resumeBatch,
  retryBatch,
} from '../../src/domain/temporal/workflow-interface.ts';
import { createTestBatches } from './batches.ts';
import { startLifecycle } from './lifecycle.ts';
import { startReceiver } from './receiver.ts';
import { refusalCode } from './refusal.ts';

/** The price of one image with the default parameters. */
const PRICE = 1;

test('the samples of a batch run first, and one approval starts the rest', async () => {
  await using receiver = await startReceiver([200]);
  await using lifecycle = await startLifecycle({ creditsPerPeriod: 10_000 });
  const batches = createTestBatches(lifecycle);
  await lifecycle.stores.webhookEndpoints.create(lifecycle.account.id, {
    url: receiver.url,
    events: ['batch.approval_needed', 'batch.half_done', 'batch.ended'],
  });
  const id = await batches.start({ files: Array.from({ length: 6 }, () => ({})), samples: 2, open: true });
  expect(await batches.get(id)).toMatchObject({ status: 'COLLECTING', running: 0 });
  await batches.send(id, closeBatch);
  const waiting = await batches.reaches(id, ({ status }) => status === 'APPROVAL_NEEDED');
  expect(waiting).toMatchObject({ finished: 2, running: 0, prediction: { credits: 6 * PRICE, failures: 0 } });
  const chosen = (await batches.items(id)).map(({ sample }) => sample);
  const { times } = await lifecycle.stores.batchItems.sampleFacts(id);
  expect(times.map(({ engineMs }) => engineMs)).toEqual([5, 5]);
  expect([0, 3].map((half) => chosen.slice(half, half + 3).filter(Boolean).length)).toEqual([1, 1]);
  await lifecycle.passTime('20 min');
  expect(await batches.get(id)).toMatchObject({ status: 'APPROVAL_NEEDED', finished: 2 });
  const early = [batches.send(id, pauseBatch), batches.send(id, retryBatch), batches.send(id, resumeBatch, {})];
  expect(await Promise.all(early.map(refusalCode))).toEqual(Array(3).fill('CONFLICT'));

  await batches.send(id, approveBatch);
  const ended = await batches.reaches(id, ({ status }) => status === 'FINISHED');
  expect(ended).toMatchObject({ finished: 6, chargedCredits: 6 * PRICE });
  const told = receiver.requests.map(({ body }) => JSON.parse(body) as { event: string });
  expect(told[0]).toMatchObject({
    event: 'batch.approval_needed',
    data: { status: 'APPROVAL_NEEDED', counts: { items: 6, pending: 4, finished: 2 }, prediction: { failures: 0 } },
  });
});
