import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { expect, test } from '@jest/globals';
import { createDevEnvironment } from '../support/dev-server.ts';
import type { slowAttempts } from '../temporal/fixtures/slow-attempts.ts';

const bundle = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('../temporal/fixtures/slow-attempts.ts', import.meta.url)),
  logger: new DefaultLogger('ERROR'),
});

test('an attempt that takes too long is trouble of a worker, and not of the file', async () => {
  await using dev = await createDevEnvironment();
  const { client, nativeConnection } = dev.environment;
  const told: string[] = [];
  let attempts = 0;
  const worker = await Worker.create({
    connection: nativeConnection,
    taskQueue: 'slow',
    workflowBundle: bundle,
    activities: {
      tell: (machinery: string) => void told.push(machinery),
      work: () => ((attempts += 1) === 1 ? new Promise<void>((resolve) => setTimeout(resolve, 1_500)) : undefined),
    },
  });
  await worker.runUntil(async () => {
    const started = await client.workflow.start<typeof slowAttempts>('slowAttempts', {
      taskQueue: 'slow',
      workflowId: 'slow',
    });
    expect(await started.result()).toBe('done');
  });
  expect([told, attempts]).toEqual([['worker'], 2]);
});
