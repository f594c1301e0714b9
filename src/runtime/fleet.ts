import type { Client } from '@temporalio/client';
import type { Fleet, PollingWorker } from '../domain/representations/operator.ts';
import { ENGINE_TASK_QUEUE, HOSTED_TASK_QUEUE, MAIN_TASK_QUEUE } from '../domain/temporal/workflow-interface.ts';
import { BUILD } from './version.ts';

/** The task queues of an instance. An upload needs workflows, CPU-bound activities, and, with a hosted service, calls to it. */
const listQueues = (hosted: boolean): string[] => [
  MAIN_TASK_QUEUE,
  ENGINE_TASK_QUEUE,
  ...(hosted ? [HOSTED_TASK_QUEUE] : []),
];

/** Lists the workers of each task queue that Temporal knows. It forgets a worker five minutes after its last poll. */
async function listWorkers(client: Client, namespace: string, hosted: boolean): Promise<PollingWorker[]> {
  const found = listQueues(hosted).map(async (taskQueue) => {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: taskQueue === MAIN_TASK_QUEUE ? 1 : 2,
    });
    return (pollers ?? []).map(({ identity, lastAccessTime }): PollingWorker => {
      const [, version, process] = /^burnish\/(\S+) (.+)$/.exec(identity ?? '') ?? [];
      const { seconds, nanos } = lastAccessTime ?? {};
      const polledAt = new Date(Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1e6).toISOString();
      return { taskQueue, process: process ?? identity ?? '', version: version ?? null, polledAt };
    });
  });
  return (await Promise.all(found)).flat();
}

/** Lists the task queues without a worker. */
export async function unpolledTaskQueues(client: Client, namespace: string, hosted = false): Promise<string[]> {
  const workers = await listWorkers(client, namespace, hosted);
  return listQueues(hosted).filter((queue) => workers.every(({ taskQueue }) => taskQueue !== queue));
}

/** Lists the workers, and counts the open uploads by the versions that ran their workflows. */
export async function describeFleet(client: Client, namespace: string, hosted: boolean): Promise<Fleet> {
  const processes = await listWorkers(client, namespace, hosted);
  const versions = [...new Set([BUILD, ...processes.flatMap(({ version }) => version ?? [])])].sort();
  const buildId = (version: string): string => `"unversioned:${version}"`;
  const count = async (condition: string): Promise<number> =>
    (await client.workflow.count(`WorkflowType = "upload" AND ExecutionStatus = "Running"${condition}`)).count;
  const [all, known, ...counts] = await Promise.all([
    count(''),
    count(` AND BuildIds IN (${versions.map(buildId).join(', ')})`),
    ...versions.map((version) => count(` AND BuildIds = ${buildId(version)}`)),
  ]);
  const uploads = versions.map((version, index) => ({ version, open: counts[index] ?? 0 }));
  return { version: BUILD, processes, uploads, uploadsOfEarlierVersions: Math.max(0, all - known) };
}
