import type { Client } from '@temporalio/client';
import { type BuildWork, type DeployedBuild, type WorkerDeployment, Failure } from '@burnish/contract';
import { setTimeout as delay } from 'node:timers/promises';
import { hasStatus } from '../temporal/grpc-status.ts';

/** Interval at which workers of a deployment report their tasks, milliseconds. */
export const HEARTBEAT_MS = 5_000;

/** Time for the server to tell its task queues about a promotion, milliseconds. */
const ROUTING_MS = 30_000;
const LOOK_MS = 200;
/** `ROUTING_CONFIG_UPDATE_STATE_IN_PROGRESS` and `WORKER_STATUS_RUNNING` of Temporal's interface */
const [ROUTING_IN_PROGRESS, WORKER_RUNS] = [1, 1];

/** A worker deployment at a Temporal server. */
export interface DeploymentAt {
  client: Client;
  namespace: string;
  name: string;
}

interface Routing {
  current: string | undefined;
  ramping: string | undefined;
  /** Percentage of the ramping build */
  percent: number;
  /** Known builds, the newest first */
  builds: string[];
  /** Whether each task queue follows the last promotion */
  settled: boolean;
}

const NO_ROUTING: Routing = { current: undefined, ramping: undefined, percent: 0, builds: [], settled: true };

/** Reads which builds get work. A deployment exists from the first poll of one of its workers on. */
export async function readRouting({ client, namespace, name }: DeploymentAt): Promise<Routing> {
  try {
    const request = { namespace, deploymentName: name };
    const { workerDeploymentInfo: info } = await client.workflowService.describeWorkerDeployment(request);
    const { currentDeploymentVersion, rampingDeploymentVersion, rampingVersionPercentage } = info?.routingConfig ?? {};
    const summaries = [...(info?.versionSummaries ?? [])].sort(
      (one, other) => Number(other.createTime?.seconds ?? 0) - Number(one.createTime?.seconds ?? 0),
    );
    return {
      current: currentDeploymentVersion?.buildId ?? undefined,
      ramping: rampingDeploymentVersion?.buildId ?? undefined,
      percent: rampingVersionPercentage ?? 0,
      builds: summaries.flatMap(({ deploymentVersion }) => deploymentVersion?.buildId ?? []),
      settled: info?.routingConfigUpdateState !== ROUTING_IN_PROGRESS,
    };
  } catch (error) {
    if (hasStatus(error, 'NOT_FOUND')) return NO_ROUTING;
    throw error;
  }
}

/** Lists the builds with their shares of the work, and counts the open uploads that ran last on each. */
export async function describeDeployment(at: DeploymentAt): Promise<WorkerDeployment> {
  const { client, name } = at;
  const routing = await readRouting(at);
  const builds = routing.builds.map(async (version) => {
    const ranLast = `TemporalWorkerDeploymentVersion = "${name}:${version}"`;
    const open = await client.workflow.count(`WorkflowType = "upload" AND ExecutionStatus = "Running" AND ${ranLast}`);
    return { version, ...findShare(version, routing), open: open.count };
  });
  return { name, builds: await Promise.all(builds) };
}

function findShare(version: string, { current, ramping, percent }: Routing): Pick<DeployedBuild, 'state' | 'share'> {
  if (version === ramping) return { state: 'RAMPING', share: percent };
  return version === current ? { state: 'CURRENT', share: 100 - percent } : { state: 'INACTIVE', share: 0 };
}

export interface Promotion {
  /** Percentage of the workflows that the build gets; undefined: all */
  percent: number | undefined;
  /** Task queues that no worker of the build polls. The server itself counts workers that have stopped */
  unpolled: readonly string[];
}

/**
 * Gives work to a build. Returns once every task queue follows.
 * @throws Failure for an unknown build, and for one whose workers do not poll each task queue
 */
export async function promoteBuild(at: DeploymentAt, build: string, { percent, unpolled }: Promotion): Promise<void> {
  const { current, ramping, builds } = await readRouting(at);
  if (!builds.includes(build)) throw unknownBuild(at, build, builds);
  if (unpolled.length > 0) {
    throw refusal(`No worker of ${build} polls ${unpolled.join(' and ')}. Start one, and promote again.`);
  }
  const { client, namespace, name } = at;
  // The check above covers the queues of this version. An earlier build may poll others.
  const request = { namespace, deploymentName: name, ignoreMissingTaskQueues: true };
  const ramp = (buildId: string, percentage: number) =>
    client.workflowService.setWorkerDeploymentRampingVersion({ ...request, buildId, percentage });
  try {
    if (percent !== undefined) {
      if (build === current) throw refusal(`${build} is current. Promote another build with a percentage.`);
      await ramp(build, percent);
    } else {
      if (ramping !== undefined && ramping !== build) await ramp('', 0);
      await client.workflowService.setWorkerDeploymentCurrentVersion({ ...request, buildId: build });
    }
  } catch (cause) {
    if (!hasStatus(cause, 'FAILED_PRECONDITION')) throw cause;
    throw refusal(`The workers of ${build} do not poll each task queue yet. Start them, and promote again.`, cause);
  }
  const until = performance.now() + ROUTING_MS;
  while (!(await readRouting(at)).settled && performance.now() < until) {
    await delay(LOOK_MS);
  }
}

const refusal = (detail: string, cause?: unknown): Failure => new Failure('BAD_USER_INPUT', { detail, cause });

const unknownBuild = ({ name }: DeploymentAt, build: string, builds: readonly string[]): Failure =>
  refusal(
    builds.length === 0
      ? `The deployment ${name} has no build. Start a worker with BURNISH_WORKER_DEPLOYMENT=${name}.`
      : `The deployment ${name} has no build ${build}. Name one of these: ${builds.join(', ')}.`,
  );

/** Reads what the workers of a build reported last. @throws Failure for an unknown build */
export async function readBuildWork(at: DeploymentAt, build: string): Promise<BuildWork> {
  const routing = await readRouting(at);
  if (!routing.builds.includes(build)) throw unknownBuild(at, build, routing.builds);
  const { client, namespace, name } = at;
  const query = `DeploymentName = "${name}" AND BuildId = "${build}"`;
  const { workersInfo } = await client.workflowService.listWorkers({ namespace, query, pageSize: 1_000 });
  const workers = workersInfo.flatMap(({ workerHeartbeat: report }) => {
    if (!report) return [];
    const { workflowTaskSlotsInfo, activityTaskSlotsInfo, localActivitySlotsInfo, nexusTaskSlotsInfo } = report;
    const slots = [workflowTaskSlotsInfo, activityTaskSlotsInfo, localActivitySlotsInfo, nexusTaskSlotsInfo];
    const { seconds, nanos } = report.heartbeatTime ?? {};
    return {
      taskQueue: report.taskQueue ?? '',
      process: /^burnish\/\S+ (.+)$/.exec(report.workerIdentity ?? '')?.[1] ?? '',
      stopping: report.status !== WORKER_RUNS,
      tasks: slots.reduce((sum, info) => sum + (info?.currentUsedSlots ?? 0), 0),
      reportedAt: new Date(Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1e6).toISOString(),
    };
  });
  return { state: findShare(build, routing).state, workers };
}
