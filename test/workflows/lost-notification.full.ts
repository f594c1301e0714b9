import { expect, test } from '@jest/globals';
import { NOTIFICATION_TASK_QUEUE } from '../../src/domain/temporal/workflow-interface.ts';
import '../setup/quiet-temporal.ts';
import { createDevEnvironment } from '../support/dev-server.ts';
import { until } from '../support/until.ts';
import { startLifecycle } from './lifecycle.ts';
import { startReceiver } from './receiver.ts';

/** Longer than it takes to notice the death of a worker, and much shorter than the longest attempt. */
const SOON_MS = 20_000;

test('an attempt whose worker dies is made again soon, although a receiver may take long to answer', async () => {
  const taken: string[] = [];
  await using lifecycle = await startLifecycle({
    async environment() {
      const server = await createDevEnvironment();
      const { connection } = server.environment.client;
      // A worker that gets one task, and says nothing about it ever after, as one that was killed.
      const poll = { namespace: 'default', taskQueue: { name: NOTIFICATION_TASK_QUEUE }, identity: 'killed' };
      connection
        .withDeadline(Date.now() + 60_000, () => connection.workflowService.pollActivityTaskQueue(poll))
        .then(
          ({ workflowExecution }) => taken.push(workflowExecution?.workflowId ?? ''),
          () => undefined,
        );
      return server;
    },
  });
  await using receiver = await startReceiver([204]);
  // The server gives the task of one of these uploads to the dead worker.
  const ids: string[] = [];
  while (taken.length === 0) {
    const { id } = await lifecycle.start({ webhookUrl: receiver.url });
    ids.push(id);
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    await until(() => (taken.length > 0 || receiver.requests.length === ids.length ? true : undefined));
    expect(ids.length).toBeLessThan(50);
  }
  expect(taken[0]).toBe(`upload/${ids.at(-1)!}`);
  expect(receiver.requests).toHaveLength(ids.length - 1);
  await until(
    () => receiver.requests.length,
    (count) => count === ids.length,
    { withinMs: SOON_MS },
  );
});
