import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { expect, test } from '@jest/globals';
import { statusAttribute } from '../../src/domain/temporal/search-attributes.ts';
import { createDevEnvironment } from '../support/dev-server.ts';
import { greet } from './fixtures/greeting.ts';

test('a workflow runs on the dev server, started eagerly on the connection of its worker', async () => {
  await using dev = await createDevEnvironment();
  const connection = dev.environment.nativeConnection;
  const worker = await Worker.create({
    connection,
    taskQueue: 'greetings',
    workflowsPath: fileURLToPath(new URL('fixtures/greeting.ts', import.meta.url)),
  });
  const client = new Client({ connection });
  const [eager, greeting, status] = await worker.runUntil(async () => {
    const handle = await client.workflow.start(greet, {
      taskQueue: 'greetings',
      workflowId: 'greeting',
      args: ['Ada'],
      requestEagerStart: true,
    });
    const text = await handle.result();
    const { typedSearchAttributes } = await handle.describe();
    return [handle.eagerlyStarted, text, typedSearchAttributes.get(statusAttribute)] as const;
  });
  expect(greeting).toBe('Hello, Ada');
  expect(eager).toBe(true);
  expect(status).toBe('GREETED');
});
