import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker, type WorkflowBundle } from '@temporalio/worker';
import { expect, test } from '@jest/globals';
import { createTimeSkippingEnvironment } from '../support/time-skipping.ts';
import type { History } from './history-file.ts';

const TASK_QUEUE = 'records';

/** @returns the error of a replay, or undefined */
async function replay(workflowBundle: WorkflowBundle, history: History): Promise<string | undefined> {
  try {
    await Worker.runReplayHistory({ workflowBundle }, history);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

test('a replay repeats local activities that run one at a time, and not those that run together', async () => {
  await using time = await createTimeSkippingEnvironment();
  const { client, nativeConnection: connection } = time.environment;
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../temporal/fixtures/records.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
  const worker = await Worker.create({
    connection,
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
    const handle = await client.workflow.start(workflow, started);
    await handle.result();
    return replay(workflowBundle, await handle.fetchHistory());
  };
  await worker.runUntil(async () => {
    expect(await run('inTurn')).toBeUndefined();
    expect(await run('together')).toMatch(/TMPRL1100/);
  });
});
