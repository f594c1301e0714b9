import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { expect, test } from '@jest/globals';
import { createTimeSkippingEnvironment } from '../support/time-skipping.ts';
import { greetAfterThirtyDays } from './fixtures/greeting.ts';

test('thirty days pass at once on the time-skipping server, which has the search attributes', async () => {
  await using time = await createTimeSkippingEnvironment();
  const { client, nativeConnection: connection } = time.environment;
  const worker = await Worker.create({
    connection,
    taskQueue: 'greetings',
    workflowsPath: fileURLToPath(new URL('fixtures/greeting.ts', import.meta.url)),
  });
  const before = await time.environment.currentTimeMs();
  const greeting = await worker.runUntil(
    client.workflow.execute(greetAfterThirtyDays, { taskQueue: 'greetings', workflowId: 'greeting', args: ['Ada'] }),
  );
  expect(greeting).toBe('Hello, Ada');
  expect((await time.environment.currentTimeMs()) - before).toBeGreaterThan(29 * 24 * 3600 * 1000);
});
