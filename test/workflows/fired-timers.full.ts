import '../setup/quiet-temporal.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { BATCH_WAITS } from '../../src/domain/temporal/waits.ts';
import { batchItemsAdded, closeBatch } from '../../src/domain/temporal/workflow-interface.ts';
import { createTestBatches } from './batches.ts';
import { useLifecycle } from './use-lifecycle.ts';

const lifecycle = useLifecycle();

it('a workflow of a test goes on if its timer fires while it decides to wait no longer', async () => {
  const batches = createTestBatches(lifecycle);
  const id = await batches.start({ files: [{}], open: true });
  await lifecycle.untilMainRests();
  void batches.handle(id).signal(batchItemsAdded);
  await delay(15);
  // The server gives out the workflow task, whose answer waits for this thread until the timer has fired.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * BATCH_WAITS.usualMs);
  expect(await batches.send(id, closeBatch)).toHaveProperty('closedAt', expect.any(String));
});
