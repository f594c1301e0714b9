import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { expect, test } from '@jest/globals';
import { useOwnWorkflowThreads } from '../../src/runtime/workflow-threads.ts';
import { createTimeSkippingEnvironment } from '../support/time-skipping.ts';

test('workflow code that never returns is named, and ends its worker, but no other one', async () => {
  await using time = await createTimeSkippingEnvironment();
  const { client, nativeConnection: connection } = time.environment;
  const bundle = async (name: string) =>
    await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL(`../temporal/fixtures/${name}.ts`, import.meta.url)),
      logger: new DefaultLogger('ERROR'),
    });
  useOwnWorkflowThreads(10_000);
  const [looping, calm] = await Promise.all(
    ['endless', 'paused'].map(async (taskQueue) =>
      Worker.create({ connection, taskQueue, workflowBundle: await bundle(taskQueue), shutdownForceTime: 1_000 }),
    ),
  );
  useOwnWorkflowThreads();
  const other = calm!.run();
  await client.workflow.start('endless', { workflowId: 'a-loop', taskQueue: 'endless' });
  await expect(looping!.run()).rejects.toThrow(
    /The workflow a-loop \(endless, run [-\w]+\) does not return: its code loops/,
  );
  const calmly = { workflowId: 'calm', taskQueue: 'paused', args: [10] };
  expect(await client.workflow.execute('paused', calmly)).toBe('went on');
  calm!.shutdown();
  await other;
});
