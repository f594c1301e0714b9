import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import { newId } from '@burnish/contract';
import { deleteUpload, requestEnhancements, type UploadInput } from '../../src/domain/temporal/workflow-interface.ts';
import type { upload } from '../../src/workflows/index.ts';
import type { Scenario } from './scenarios.ts';

/** An upload with parallel orders, whose records are written one at a time. */
const parallelOrders: Scenario = async (lifecycle) => {
  const { id, handle } = await lifecycle.start();
  await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
  const orders = [0.1, 0.2, 0.3].map((sharpening) => lifecycle.order(id, { parameters: { sharpening } }));
  for (const enhancementId of await Promise.all(orders)) await lifecycle.settled(enhancementId);
  await handle.result();
  return { 'upload-with-parallel-orders': handle.workflowId };
};

/** An upload whose first workflow task brings further orders too, as behind workers that were away. */
const orderedAtOnce: Scenario = async (lifecycle) => {
  const ids = [newId('enh', Date.now()), newId('enh', Date.now())];
  const ordering = orderingClient(lifecycle.client, ids);
  const { handle, enhancementIds } = await lifecycle.start({ enhancements: [{}] }, ordering);
  for (const each of [...enhancementIds, ...ids]) await lifecycle.settled(each);
  await handle.executeUpdate(deleteUpload);
  return { 'upload-ordered-at-once': handle.workflowId };
};

/** A client that orders enhancements in the same call as it starts an upload. */
function orderingClient({ workflow }: Client, ids: readonly string[]): Client {
  const orders = ids.map((id) => ({ id, parameters: {}, maxCredits: null, creditWaitMs: 86_400_000 }));
  async function start(type: 'upload', options: { workflowId: string; taskQueue: string; args: [UploadInput] }) {
    const startWorkflowOperation = new WithStartWorkflowOperation<typeof upload>(type, {
      ...options,
      workflowIdConflictPolicy: 'FAIL',
    });
    const order = { args: [orders], waitForStage: 'ACCEPTED', startWorkflowOperation } as const;
    await workflow.startUpdateWithStart(requestEnhancements, { ...order, args: [orders] });
    return startWorkflowOperation.workflowHandle();
  }
  return { workflow: { start } } as unknown as Client;
}

export const orderScenarios = { parallelOrders, orderedAtOnce };
