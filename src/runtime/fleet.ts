import type { Client } from '@temporalio/client';
import { type Fleet, type PollingWorker, stillPolls, Failure } from '@burnish/contract';
import { MAIN_TASK_QUEUE, TASK_QUEUES } from '../domain/temporal/workflow-interface.ts';
import type { FleetCommands } from '../api/operator/all-operator-commands.ts';
import { BUILD } from './version.ts';
import {
  describeDeployment,
  type DeploymentAt,
  promoteBuild,
  readBuildWork,
  readRouting,
} from './worker-deployment.ts';

/** Names the task queues that an instance needs. @param hosted whether it calls a hosted service */
const listQueues = (hosted: boolean): string[] =>
  TASK_QUEUES.filter(({ ofHosted }) => hosted || !ofHosted).map(({ name }) => name);

/** An instance at a Temporal server. */
export interface FleetAt {
  client: Client;
  namespace: string;
  /** Whether it calls a hosted service */
  hosted: boolean;
  /** Name of its worker deployment; null without one */
  deployment: string | null;
}

/** A poller, and whether it belongs to a worker deployment. */
interface Poller {
  worker: PollingWorker;
  deployed: boolean;
}

/** `WORKER_VERSIONING_MODE_VERSIONED` of Temporal's interface */
const VERSIONED = 2;

/** Lists the pollers of each task queue that Temporal knows. It forgets a worker five minutes after its last poll. */
async function listPollers({ client, namespace, hosted }: Omit<FleetAt, 'deployment'>): Promise<Poller[]> {
  const found = listQueues(hosted).map(async (taskQueue) => {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: taskQueue === MAIN_TASK_QUEUE ? 1 : 2,
    });
    return (pollers ?? []).map(({ identity, lastAccessTime, deploymentOptions }): Poller => {
      const [, version, process] = /^burnish\/(\S+) (.+)$/.exec(identity ?? '') ?? [];
      const { seconds, nanos } = lastAccessTime ?? {};
      const polledAt = new Date(Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1e6).toISOString();
      const worker = { taskQueue, process: process ?? identity ?? '', version: version ?? null, polledAt };
      return { worker, deployed: deploymentOptions?.workerVersioningMode === VERSIONED };
    });
  });
  return (await Promise.all(found)).flat();
}

/**
 * Lists the task queues without a worker, or, in a deployment, without a worker that gets work. Until a build is current, workers
 * without a deployment get it.
 */
export async function unpolledTaskQueues(at: FleetAt): Promise<string[]> {
  const { client, namespace, hosted, deployment } = at;
  const pollers = await listPollers(at);
  const routing = deployment === null ? undefined : await readRouting({ client, namespace, name: deployment });
  const getsWork = ({ worker: { version }, deployed }: Poller): boolean => {
    if (routing === undefined) return true;
    return deployed ? [routing.current, routing.ramping].includes(version ?? '') : routing.current === undefined;
  };
  const served = new Set(pollers.filter(getsWork).map(({ worker }) => worker.taskQueue));
  return listQueues(hosted).filter((queue) => !served.has(queue));
}

/** The operator's commands about the workers. */
export function fleetCommands(at: FleetAt): FleetCommands {
  const deployed = (): DeploymentAt => {
    if (at.deployment !== null) return { ...at, name: at.deployment };
    const detail = 'BURNISH_WORKER_DEPLOYMENT is not set: without it, each worker gets work.';
    throw new Failure('BAD_USER_INPUT', { detail });
  };
  return {
    workers: () => describeFleet(at),
    async promoteBuild({ build, percent }) {
      const pollers = await listPollers(at);
      const own = pollers.filter(
        ({ worker, deployed }) => deployed && worker.version === build && stillPolls(worker, Date.now()),
      );
      const unpolled = listQueues(at.hosted).filter((queue) => own.every(({ worker }) => worker.taskQueue !== queue));
      await promoteBuild(deployed(), build, { percent, unpolled });
      return await describeDeployment(deployed());
    },
    buildWork: async (build) => await readBuildWork(deployed(), build),
  };
}

/** Lists the workers, and counts the open uploads by the versions that ran their workflows. */
async function describeFleet(at: FleetAt): Promise<Fleet> {
  const { client, namespace, deployment } = at;
  const processes = (await listPollers(at)).map(({ worker }) => worker);
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
  return {
    version: BUILD,
    processes,
    uploads,
    uploadsOfEarlierVersions: Math.max(0, all - known),
    deployment: deployment === null ? null : await describeDeployment({ client, namespace, name: deployment }),
  };
}
