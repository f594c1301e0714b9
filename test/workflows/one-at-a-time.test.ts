import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { expect, test } from '@jest/globals';
import { uploadWorkflowId } from '../../src/domain/temporal/workflow-interface.ts';
import { workflowBundle as ours } from '../support/workflow-bundle.ts';
import type { History } from './history-file.ts';
import { useLifecycle } from './use-lifecycle.ts';

const lifecycle = useLifecycle({ creditsPerPeriod: 20, cancelsTimers: true });
const TASK_QUEUE = 'records';

/** @returns the error of a replay, or undefined */
async function replay(workflowBundle: typeof ours, history: History): Promise<string | undefined> {
  try {
    await Worker.runReplayHistory({ workflowBundle }, history);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

test('a replay repeats local activities that run one at a time, and not those that run together', async () => {
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../temporal/fixtures/records.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
  const worker = await Worker.create({
    connection: lifecycle.env.nativeConnection,
    taskQueue: TASK_QUEUE,
    workflowBundle,
    activities: {
      async record(index: number) {
        // The code that needs more turns goes on first, and after the other in a replay.
        if (index % 2 === 0) await pause(30);
        return index;
      },
      work: () => Promise.resolve(),
    },
  });
  const run = async (workflow: string): Promise<string | undefined> => {
    const started = { workflowId: workflow, taskQueue: TASK_QUEUE };
    const handle = await lifecycle.env.client.workflow.start(workflow, started);
    await handle.result();
    return replay(workflowBundle, await handle.fetchHistory());
  };
  await worker.runUntil(async () => {
    expect(await run('inTurn')).toBeUndefined();
    expect(await run('together')).toMatch(/TMPRL1100/);
  });
});

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
  expect(await replay(ours, history)).toBeUndefined();
});
