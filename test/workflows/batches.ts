import { randomUUID } from 'node:crypto';
import { type UpdateDefinition, WorkflowNotFoundError } from '@temporalio/common';
import { type Batch, type BatchItem, type CountedBatch, newId } from '@burnish/contract';
import { sendToBatch, startBatch } from '../../src/api/batches/send-to-batch.ts';
import type { NewBatchItem } from '../../src/domain/batch/batch-rules.ts';
import { BATCH_WAITS } from '../../src/domain/temporal/waits.ts';
import { batchItemsAdded, batchWorkflowId, closeBatch } from '../../src/domain/temporal/workflow-interface.ts';
import type { Lifecycle, TestUpload } from './lifecycle.ts';

export interface TestBatch {
  maxCredits?: number;
  samples?: number;
  parameters?: Batch['parameters'];
  /** Uploads of the items; the batch is closed after them, unless `open` */
  files: readonly TestUpload[];
  open?: boolean;
}

/** Milliseconds, less than a test has: a call that outlives its test fails in the next one. */
const WITHIN_MS = 45_000;

/** Leads batches on the parts of a lifecycle. Items are uploads of the account. */
export function createTestBatches(lifecycle: Lifecycle) {
  const { stores, account, client, env } = lifecycle;
  const get = async (id: string): Promise<CountedBatch> => (await stores.batches.get(account.id, id))!;
  const handle = (id: string) => client.workflow.getHandle(batchWorkflowId(id));
  const plan = async () => (await stores.accounts.getPlanOfAccount(account.id))!;

  /** As the gateway sends a command. */
  async function send<Args extends unknown[]>(
    id: string,
    update: UpdateDefinition<Batch, Args>,
    ...args: Args
  ): Promise<Batch> {
    const deps = { client, batches: stores.batches, commandWaitMs: WITHIN_MS };
    const command = { update, args, updateId: randomUUID() };
    const outcome = await sendToBatch(deps, { batch: await get(id), plan: await plan() }, command);
    if (outcome.kind !== 'done') throw new Error(`The command has the outcome ${outcome.kind}.`);
    return outcome.value;
  }

  async function add(id: string, files: readonly TestUpload[]): Promise<string[]> {
    const ids = await Promise.all(
      files.map(async (file) => {
        const { id: uploadId } = await lifecycle.start(file);
        if (file.declared === undefined) await lifecycle.uploadReaches(uploadId, 'UPLOAD_FINISHED');
        return uploadId;
      }),
    );
    const items = ids.map((uploadId): NewBatchItem => ({ key: uploadId, url: null, uploadId, reference: null }));
    await stores.batches.addItems(account.id, id, items);
    return ids;
  }

  return {
    get,
    handle,
    send,
    add,
    async start({ files, open = false, maxCredits, samples = 0, parameters = {} }: TestBatch): Promise<string> {
      const id = newId('bat', Date.now());
      const budget = maxCredits ?? null;
      const own = { preset: null, destination: null, reference: 'b' };
      await stores.batches.create({ id, accountId: account.id, parameters, maxCredits: budget, samples, ...own }, null);
      await startBatch(client, account.id, await get(id), await plan());
      await add(id, files);
      await handle(id).signal(batchItemsAdded);
      if (!open) await send(id, closeBatch);
      return id;
    },
    /** Ends the rest of a batch, which lasts for a day, unless it has ended. On a server without a skip it would last. */
    async wake(id: string): Promise<void> {
      try {
        await handle(id).signal(batchItemsAdded);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },
    items: async (id: string): Promise<BatchItem[]> =>
      (await stores.batchItems.list(id, { limit: 1_000 })).map(({ item }) => item),
    /** Lets time pass until the batch has changed as expected, in steps that are shorter than its pauses. */
    async reaches(id: string, isThere: (batch: CountedBatch) => boolean): Promise<CountedBatch> {
      for (const end = Date.now() + WITHIN_MS; Date.now() < end;) {
        const batch = await get(id);
        if (isThere(batch)) return batch;
        await env.sleep(BATCH_WAITS.shortestMs);
      }
      throw new Error(`The batch is still ${JSON.stringify(await get(id))}.`);
    },
  };
}
