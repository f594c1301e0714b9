import '../setup/quiet-temporal.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type BatchStatus, type CountedBatch, Failure } from '@burnish/contract';
import { retryBatch } from '../../src/domain/temporal/workflow-interface.ts';
import { createGate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { createTestBatches } from './batches.ts';
import { startReceiver } from './receiver.ts';
import { useLifecycle } from './use-lifecycle.ts';

const is = (status: BatchStatus) => (batch: CountedBatch) => batch.status === status;

const lifecycle = useLifecycle();
let batches: ReturnType<typeof createTestBatches>;
beforeAll(() => {
  batches = createTestBatches(lifecycle);
});

/** The types of the activities that a workflow waits for. */
async function pendingActivities(handle: WorkflowHandle): Promise<string[]> {
  const { raw } = await handle.describe();
  return (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name ?? '');
}

async function acceptedUpdates(handle: WorkflowHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes).length;
}

/** A batch that has ended with its one file failed. The engine succeeds from now on. */
async function failedBatch(): Promise<string> {
  lifecycle.provider.script = {
    enhance: () => Promise.reject(new Failure('PROCESSING_LIMIT', { detail: 'Too slow.' })),
  };
  const id = await batches.start({ files: [{}] });
  await batches.reaches(id, is('FINISHED'));
  lifecycle.provider.script = {};
  return id;
}

describe('trying the failed items of a batch again', () => {
  it('two at once share a round, and both answers tell it', async () => {
    const { batchItems } = lifecycle.stores;
    const retryFailed = batchItems.retryFailed.bind(batchItems);
    const secondLook = createGate();
    let looks = 0;
    batchItems.retryFailed = async (id) => {
      looks += 1;
      if (looks === 2) await secondLook.opened;
      return retryFailed(id);
    };
    const id = await failedBatch();
    const first = batches.send(id, retryBatch);
    // It has put the item back, and looks for more.
    await until(() => looks === 2 || undefined);
    const second = batches.send(id, retryBatch);
    await until(async () => (await acceptedUpdates(batches.handle(id))) === 2 || undefined);
    await delay(300);
    secondLook.open();
    expect((await Promise.all([first, second])).map(({ status, round }) => [status, round])).toEqual([
      ['RUNNING', 1],
      ['RUNNING', 1],
    ]);
    expect(await batches.reaches(id, is('FINISHED'))).toMatchObject({ finished: 1, failed: 0, round: 1 });
    batchItems.retryFailed = retryFailed;
  });

  it('a batch that is about to end waits for it', async () => {
    const [receiverAnswers, databaseAnswers] = [createGate(), createGate()];
    await using slow = await startReceiver([200], receiverAnswers.opened);
    await lifecycle.stores.webhookEndpoints.create(lifecycle.account.id, { url: slow.url, events: ['batch.ended'] });
    const { batchItems } = lifecycle.stores;
    const retryFailed = batchItems.retryFailed.bind(batchItems);
    batchItems.retryFailed = (id) => databaseAnswers.opened.then(() => retryFailed(id));
    const id = await failedBatch();
    await until(() => slow.requests.length > 0 || undefined);
    const command = batches.send(id, retryBatch);
    await until(async () => (await pendingActivities(batches.handle(id))).includes('retryBatchItems') || undefined);
    receiverAnswers.open();
    await until(async () => !(await pendingActivities(batches.handle(id))).includes('notifyReceivers') || undefined);
    databaseAnswers.open();
    expect(await command).toMatchObject({ status: 'RUNNING', round: 1 });
    expect(await batches.reaches(id, is('FINISHED'))).toMatchObject({ finished: 1, failed: 0 });
  });

  it('a workflow that ends as the command arrives starts again', async () => {
    const { client } = lifecycle;
    const receiverAnswers = createGate();
    await using slow = await startReceiver([200], receiverAnswers.opened);
    await lifecycle.stores.webhookEndpoints.create(lifecycle.account.id, { url: slow.url, events: ['batch.ended'] });
    const id = await failedBatch();
    await until(() => slow.requests.length > 0 || undefined);
    const starts: string[] = [];
    const start = (async (...args: Parameters<typeof client.workflow.start>) => {
      const handle = await client.workflow.start(...args);
      starts.push(handle.firstExecutionRunId);
      // The first start finds the running workflow, which ends before the command arrives.
      receiverAnswers.open();
      if (starts.length === 1) await handle.result();
      return handle;
    }) as typeof client.workflow.start;
    const getHandle = client.workflow.getHandle.bind(client.workflow);
    const interleaved = { withDeadline: client.withDeadline.bind(client), workflow: { start, getHandle } };
    const late = createTestBatches({ ...lifecycle, client: interleaved as typeof client });
    const commands = await Promise.all([late.send(id, retryBatch), late.send(id, retryBatch)]);
    expect(commands.map(({ round }) => round)).toEqual([1, 1]);
    expect(new Set(starts).size).toBe(2);
    expect(await batches.reaches(id, is('FINISHED'))).toMatchObject({ finished: 1, failed: 0 });
  });
});
