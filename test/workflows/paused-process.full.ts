import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import type { MainActivityDeps } from '../../src/activities/index.ts';
import { createActivityMetrics } from '../../src/activities/metrics.ts';
import { MAIN_TASK_QUEUE } from '../../src/domain/temporal/workflow-interface.ts';
import { createMainWorker } from '../../src/runtime/create-workers.ts';
import { createTimeSkippingEnvironment } from '../support/time-skipping.ts';

/** Milliseconds: longer than the limit of the SDK, and shorter than a workflow task. */
const PAUSE_MS = 6_000;

test('a process that pauses within the code of a workflow goes on', async () => {
  await using time = await createTimeSkippingEnvironment();
  const { client, nativeConnection: connection } = time.environment;
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../temporal/fixtures/paused.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
  const log = { error: (_facts: object, message: string) => expect(message).toBe('no error') };
  const deps = { connection, namespace: 'default', log, metrics: createActivityMetrics(new Registry()) };
  const worker = await createMainWorker(deps, {} as MainActivityDeps, { workflowBundle });
  const start = { workflowId: 'paused', taskQueue: MAIN_TASK_QUEUE, args: [PAUSE_MS] };
  expect(await worker.runUntil(client.workflow.execute('paused', start))).toBe('went on');
});
