import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import {
  createEngineActivities,
  createMainActivities,
  type EngineActivityDeps,
  type MainActivityDeps,
} from '../activities/index.ts';
import { failureInterceptor, type FailureLog } from '../activities/failure.ts';
import type { HostedDeps } from '../activities/hosted/deps.ts';
import { createHostedActivities } from '../activities/hosted/index.ts';
import { checkedInputs, sealedInputInterceptor } from '../activities/inputs/check-inputs.ts';
import { metricsInterceptor, type ActivityMetrics } from '../activities/metrics.ts';
import type { InstanceCodec } from '../temporal/payload-codec.ts';
import { ENGINE_TASK_QUEUE, HOSTED_TASK_QUEUE, MAIN_TASK_QUEUE } from '../domain/temporal/workflow-interface.ts';

export interface WorkerDeps {
  connection: NativeConnection;
  namespace: string;
  log: FailureLog;
  metrics: ActivityMetrics;
  /** See `createPayloadCodec`; without it, payloads are not encrypted */
  codec?: InstanceCodec;
}

/** Path of a workflow file with this file's own extension: `.ts` from source, `.js` after the build. */
const workflowFile = (name: string): string =>
  fileURLToPath(new URL(`../workflows/${name}${extname(import.meta.url)}`, import.meta.url));

const WORKFLOW_INTERCEPTORS = workflowFile('sealed-payloads');
const FAILURE_CONVERTER = workflowFile('failure-converter');

/** Maximum number of workflows in memory between their tasks. Any other workflow is replayed for its next task. */
const CACHED_WORKFLOWS = 1_000;

function commonOptions({ connection, namespace, log, metrics, codec }: WorkerDeps) {
  const failures = codec?.encrypts ? { failureConverterPath: FAILURE_CONVERTER } : {};
  return {
    connection,
    namespace,
    ...(codec === undefined ? {} : { dataConverter: { payloadCodecs: [codec], ...failures } }),
    shutdownGraceTime: '5 s',
    shutdownForceTime: '20 s',
    // Heartbeats send progress and return cancellations: both must arrive within a second.
    maxHeartbeatThrottleInterval: '1 s',
    defaultHeartbeatThrottleInterval: '1 s',
    interceptors: {
      // Each interceptor wraps the next one. The first one sees the same result as Temporal.
      activity: [
        (context) => ({ inbound: metricsInterceptor(context, metrics) }),
        (context) => ({ inbound: failureInterceptor(context, log) }),
        (context) => ({ inbound: sealedInputInterceptor(context, log) }),
        (context) => ({ inbound: checkedInputs(context, log, metrics) }),
      ],
    },
  } satisfies Partial<WorkerOptions>;
}

/** Limits that differ from the defaults of a worker, and a prepared bundle of workflow code. */
export type MainWorkerOptions = Partial<
  Pick<WorkerOptions, 'maxCachedWorkflows' | 'maxConcurrentWorkflowTaskExecutions' | 'workflowBundle'>
>;

export function createMainWorker(
  deps: WorkerDeps,
  activities: MainActivityDeps,
  options: MainWorkerOptions = {},
): Promise<Worker> {
  const { interceptors, ...common } = commonOptions(deps);
  const code = options.workflowBundle === undefined ? workflowCode() : { workflowBundle: options.workflowBundle };
  return Worker.create({
    ...common,
    ...code,
    interceptors: { ...interceptors, ...('workflowsPath' in code ? { workflowModules: [WORKFLOW_INTERCEPTORS] } : {}) },
    taskQueue: MAIN_TASK_QUEUE,
    activities: createMainActivities(activities),
    maxCachedWorkflows: CACHED_WORKFLOWS,
    maxConcurrentActivityTaskExecutions: 50,
    maxConcurrentLocalActivityExecutions: 100,
    // After a crash, a workflow moves to another worker after this time.
    stickyQueueScheduleToStartTimeout: '1 s',
    ...options,
  });
}

/**
 * A worker for CPU-bound activities.
 * @param slots parallel files, as many as the sandbox has child processes
 */
export function createEngineWorker(deps: WorkerDeps, activities: EngineActivityDeps, slots: number): Promise<Worker> {
  return Worker.create({
    ...commonOptions(deps),
    taskQueue: ENGINE_TASK_QUEUE,
    activities: createEngineActivities(activities),
    maxConcurrentActivityTaskExecutions: slots,
  });
}

/**
 * A worker for calls to the hosted service.
 * @param callsPerSecond across all workers: Temporal limits the task queue to it
 */
export function createHostedWorker(deps: WorkerDeps, activities: HostedDeps, callsPerSecond: number): Promise<Worker> {
  return Worker.create({
    ...commonOptions(deps),
    taskQueue: HOSTED_TASK_QUEUE,
    activities: { ...createHostedActivities(activities) },
    maxTaskQueueActivitiesPerSecond: callsPerSecond,
    maxConcurrentActivityTaskExecutions: 50,
  });
}

/** Uses the bundle from the build. From source, the SDK bundles at start. */
function workflowCode(): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> {
  const codePath = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
  if (existsSync(codePath)) return { workflowBundle: { codePath } };
  return { workflowsPath: workflowFile('index') };
}

/** Lists the task queues without a worker. An upload needs workflows, CPU-bound activities, and, with a hosted service, calls to it. */
export async function unpolledTaskQueues(client: Client, namespace: string, hosted = false): Promise<string[]> {
  const queues = [MAIN_TASK_QUEUE, ENGINE_TASK_QUEUE, ...(hosted ? [HOSTED_TASK_QUEUE] : [])];
  const polled = await Promise.all(
    queues.map(async (name) => {
      const { pollers } = await client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name },
        taskQueueType: name === MAIN_TASK_QUEUE ? 1 : 2,
      });
      return (pollers ?? []).length > 0;
    }),
  );
  return queues.filter((_, index) => !polled[index]);
}
