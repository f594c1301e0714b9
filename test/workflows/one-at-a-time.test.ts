import { Worker } from '@temporalio/worker';
import { expect, test } from '@jest/globals';
import { uploadWorkflowId } from '../../src/domain/temporal/workflow-interface.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';
import { useLifecycle } from './use-lifecycle.ts';

const lifecycle = useLifecycle({ creditsPerPeriod: 20, cancelsTimers: true });

test('parallel orders on one upload write their records one at a time', async () => {
  const { id } = await lifecycle.start();
  await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
  const ordered = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      lifecycle.order(id, { parameters: { upscalingFactor: 'X2', sharpening: index / 10 }, creditWaitMs: 0 }),
    ),
  );
  for (const enhancementId of ordered) await lifecycle.settled(enhancementId);
  const history = await lifecycle.env.client.workflow.getHandle(uploadWorkflowId(id)).fetchHistory();
  await expect(Worker.runReplayHistory({ workflowBundle }, history)).resolves.toBeUndefined();
});
