import type { Scenario } from './scenarios.ts';

/** An upload with parallel orders, whose records are written one at a time. */
export const parallelOrdersScenario: Scenario = async (lifecycle) => {
  const { id, handle } = await lifecycle.start();
  await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
  const orders = [0.1, 0.2, 0.3].map((sharpening) => lifecycle.order(id, { parameters: { sharpening } }));
  for (const enhancementId of await Promise.all(orders)) await lifecycle.settled(enhancementId);
  await handle.result();
  return { 'upload-with-parallel-orders': handle.workflowId };
};
