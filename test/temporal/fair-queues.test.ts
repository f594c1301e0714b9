import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { expect, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { createDevEnvironment } from '../support/dev-server.ts';
import { workFor, workOfPriority } from './fixtures/shared-queue.ts';

const WORK_MS = 100;
const SLOTS = 2;

/** What runs on `slots` is noted here in the order of its start. */
function startWorkers(dev: Awaited<ReturnType<typeof createDevEnvironment>>, started: string[]) {
  const connection = dev.environment.nativeConnection;
  const workflows = Worker.create({
    connection,
    taskQueue: 'workflows',
    workflowsPath: fileURLToPath(new URL('fixtures/shared-queue.ts', import.meta.url)),
  });
  const slots = (): Promise<Worker> =>
    Worker.create({
      connection,
      taskQueue: 'slots',
      maxConcurrentActivityTaskExecutions: SLOTS,
      activities: {
        async work(name: string) {
          started.push(name);
          await delay(WORK_MS);
        },
      },
    });
  return { workflows, slots };
}

/** Once the queue of activities holds that many. */
async function queued(client: Client, count: number): Promise<void> {
  await until(async () => {
    const { stats } = await client.workflowService.describeTaskQueue({
      namespace: 'default',
      taskQueue: { name: 'slots' },
      taskQueueType: 2,
      reportStats: true,
    });
    return Number(stats?.approximateBacklogCount ?? 0) >= count ? true : undefined;
  });
}

test('the first job of an account is done within three tasks, behind 500 jobs of another account', async () => {
  await using dev = await createDevEnvironment();
  const { client } = dev.environment;
  const started: string[] = [];
  const workers = startWorkers(dev, started);
  const workflows = await workers.workflows;
  await workflows.runUntil(async () => {
    const start = (account: string, id: string) =>
      client.workflow.start(workFor, { taskQueue: 'workflows', workflowId: id, args: [account] });
    await Promise.all(Array.from({ length: 500 }, (_, index) => start('a', `a-${index}`)));
    await queued(client, 500);
    const slots = await workers.slots();
    await slots.runUntil(async () => {
      await until(() => (started.length >= 10 ? true : undefined));
      const before = started.length;
      const last = await start('b', 'b');
      await last.result();
      // The two at work when it came, those that were dispatched to the worker while its own workflow began, and its own.
      const turns = (started.indexOf('b') + 1 - before) / SLOTS;
      expect(turns).toBeLessThanOrEqual(3);
      expect(started.length).toBeLessThan(100);
    });
  });
});

test('work with a waiting caller runs before earlier work in bulk', async () => {
  await using dev = await createDevEnvironment();
  const { client } = dev.environment;
  const started: string[] = [];
  const workers = startWorkers(dev, started);
  const workflows = await workers.workflows;
  await workflows.runUntil(async () => {
    const start = (priority: number, id: string) =>
      client.workflow.start(workOfPriority, { taskQueue: 'workflows', workflowId: id, args: [priority] });
    await Promise.all(Array.from({ length: 20 }, (_, index) => start(4, `bulk-${index}`)));
    await queued(client, 20);
    await start(1, 'waited-for');
    await queued(client, 21);
    const slots = await workers.slots();
    await slots.runUntil(() => client.workflow.getHandle('waited-for').result());
    expect(started.indexOf('1')).toBeLessThan(SLOTS);
  });
});
