import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { expect, test } from '@jest/globals';
import { keepWorker } from '../../src/runtime/kept-worker.ts';
import { createDevEnvironment } from '../support/dev-server.ts';
import { poll } from '../support/poll.ts';

const QUEUE = 'kept';

test('a worker that fails is replaced, and the next one does the work', async () => {
  await using dev = await createDevEnvironment();
  const { nativeConnection: connection, client } = dev.environment;
  const made: Worker[] = [];
  const workflowsPath = fileURLToPath(new URL('../temporal/fixtures/paused.ts', import.meta.url));
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  const make = async (): Promise<Worker> => {
    const worker = await Worker.create({ connection, taskQueue: QUEUE, workflowBundle });
    made.push(worker);
    return worker;
  };
  const said: string[] = [];
  const kept = keepWorker(await make(), make, (sentence) => said.push(sentence));
  expect(kept.running()).toBe(true);
  // As the SDK itself ends a worker after an error that it does not expect.
  (Reflect.get(made[0]!, 'unexpectedErrorSubject') as { error(reason: Error): void }).error(new Error('It broke.'));
  await poll(() => made.length, { timeout: 30_000 }).toBe(2);
  await poll(() => kept.running(), { timeout: 30_000 }).toBe(true);
  const work = { workflowId: 'after-it', taskQueue: QUEUE, args: [10] };
  expect(await client.workflow.execute('paused', work)).toBe('went on');
  expect(said).toEqual([
    `The worker of ${QUEUE} has failed: It broke.`,
    `The worker of ${QUEUE} has ended by itself, and is started again.`,
  ]);
  await kept.close();
  expect([kept.running(), made.map((each) => each.getState())]).toEqual([false, ['FAILED', 'STOPPED']]);
});
