import { hostname } from 'node:os';
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import {
  createEngineActivities,
  createInspectionActivities,
  createMainActivities,
  type EngineActivityDeps,
  type InspectionActivityDeps,
  type MainActivityDeps,
} from '../activities/index.ts';
import { failureInterceptor, type FailureLog } from '../activities/failure.ts';
import { heartbeatInterceptor } from '../activities/heartbeat.ts';
import type { HostedDeps } from '../activities/hosted/deps.ts';
import { createHostedActivities } from '../activities/hosted/index.ts';
import { checkedInputs, sealedInputInterceptor } from '../activities/inputs/check-inputs.ts';
import { createNotifyActivities, type NotifyDeps } from '../activities/notify.ts';
import { metricsInterceptor, type ActivityMetrics } from '../activities/metrics.ts';
import { traceInterceptor } from '../activities/tracing.ts';
import { createTransferActivities, type TransferDeps } from '../activities/transfers.ts';
import { HEARTBEAT_LEAST_MS } from '../domain/temporal/timeouts.ts';
import type { InstanceCodec } from '../temporal/payload-codec.ts';
import type { EngineSizing } from '@burnish/engine/host';
import {
  ENGINE_TASK_QUEUE,
  HOSTED_TASK_QUEUE,
  INSPECTION_TASK_QUEUE,
  LARGE_ENGINE_TASK_QUEUE,
  LARGE_INSPECTION_TASK_QUEUE,
  MAIN_TASK_QUEUE,
  NOTIFICATION_TASK_QUEUE,
  TRANSFER_TASK_QUEUE,
} from '../domain/temporal/workflow-interface.ts';
import { BUILD } from './version.ts';
import { FAILURE_CONVERTER, WORKFLOW_INTERCEPTORS, workflowCode } from './workflow-code.ts';

export interface WorkerDeps {
  connection: NativeConnection;
  namespace: string;
  /** See `workerNames`; null by default */
  deployment?: string | null;
  log: FailureLog;
  metrics: ActivityMetrics;
  /** See `createPayloadCodec`; without it, payloads are not encrypted */
  codec?: InstanceCodec;
}

/** Maximum number of workflows in memory between their tasks. Any other workflow is replayed for its next task. */
const CACHED_WORKFLOWS = 1_000;

/**
 * Names a process and its build in Temporal: `burnish/1.0.0+0a1b2c3d4e5f 1234@host`. Workflows are not pinned to a build; the
 * server keeps the builds that ran each one in the search attribute `BuildIds`.
 * @param deployment name of a worker deployment, which gives work to promoted builds only; null: each worker gets work
 */
export function workerNames(deployment: string | null) {
  const version = { deploymentName: deployment ?? 'burnish', buildId: BUILD };
  return {
    identity: `burnish/${BUILD} ${process.pid}@${hostname()}`,
    workerDeploymentOptions:
      deployment === null
        ? { useWorkerVersioning: false, version }
        : { useWorkerVersioning: true, version, defaultVersioningBehavior: 'AUTO_UPGRADE' },
  } satisfies Partial<WorkerOptions>;
}

function commonOptions({ connection, namespace, deployment = null, log, metrics, codec }: WorkerDeps) {
  const failures = codec?.encrypts ? { failureConverterPath: FAILURE_CONVERTER } : {};
  return {
    connection,
    namespace,
    ...workerNames(deployment),
    ...(codec === undefined ? {} : { dataConverter: { payloadCodecs: [codec], ...failures } }),
    shutdownGraceTime: '5 s',
    shutdownForceTime: '20 s',
    maxHeartbeatThrottleInterval: HEARTBEAT_LEAST_MS,
    defaultHeartbeatThrottleInterval: HEARTBEAT_LEAST_MS,
    interceptors: {
      // Each interceptor wraps the next one. The first one sees the same result as Temporal.
      activity: [
        (context) => ({ inbound: traceInterceptor(context) }),
        (context) => ({ inbound: metricsInterceptor(context, metrics) }),
        (context) => ({ inbound: failureInterceptor(context, log) }),
        (context) => ({ inbound: sealedInputInterceptor(context, log) }),
        (context) => ({ inbound: checkedInputs(context, log, metrics) }),
        (context) => ({ inbound: heartbeatInterceptor(context) }),
      ],
    },
  } satisfies Partial<WorkerOptions>;
}

/** Attempts to deliver webhooks that run at once in a process. Each waits for a receiver, and needs a few kilobytes. */
const NOTIFICATION_SLOTS = 500;

/**
 * Transfers that run at once in a process. Each waits for a machine outside and streams its file, so it needs some hundred
 * kilobytes.
 */
const TRANSFER_SLOTS = 500;

/**
 * Limits for the embedded server. It makes one write after the other, so more workflow tasks at once would wait there in the order of
 * their arrival. In its task queue, accounts take turns, and urgent work comes first. Each poll keeps a slot while it waits: half of
 * the slots stay free for first tasks that the server returns with the start itself, without the queue.
 */
export const EMBEDDED_LIMITS = {
  maxConcurrentWorkflowTaskExecutions: 6,
  workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 3 },
} as const satisfies MainWorkerOptions;

/** Records of steps at once. Most of them wait for a permit of their account, and need a few kilobytes. */
const RECORDS_AT_ONCE = 1_000;

/** Limits that differ from the defaults of a worker, and a prepared bundle of workflow code. */
export type MainWorkerOptions = Partial<
  Pick<
    WorkerOptions,
    'maxCachedWorkflows' | 'maxConcurrentWorkflowTaskExecutions' | 'workflowTaskPollerBehavior' | 'workflowBundle'
  >
>;

/** Makes a worker, and another one like it after a failure. */
export type MakeWorker = () => Promise<Worker>;

export function createMainWorker(
  deps: WorkerDeps,
  activities: MainActivityDeps,
  options: MainWorkerOptions = {},
): Promise<Worker> {
  const { interceptors, ...common } = commonOptions(deps);
  const code = workflowCode(options.workflowBundle);
  return Worker.create({
    ...common,
    ...code,
    interceptors: { ...interceptors, ...('workflowsPath' in code ? { workflowModules: [WORKFLOW_INTERCEPTORS] } : {}) },
    taskQueue: MAIN_TASK_QUEUE,
    activities: createMainActivities(activities),
    maxCachedWorkflows: CACHED_WORKFLOWS,
    maxConcurrentActivityTaskExecutions: 50,
    maxConcurrentLocalActivityExecutions: RECORDS_AT_ONCE,
    // After a crash, a workflow moves to another worker after this time.
    stickyQueueScheduleToStartTimeout: '1 s',
    ...options,
  });
}

/**
 * Workers for the inspections of images: one for images that decode within a second, and one for larger ones. A large image
 * therefore never takes the last slot.
 * @param slots activities of each at once
 */
export function inspectionWorkers(
  deps: WorkerDeps,
  { quick, large }: Record<keyof EngineSizing['inspections'], InspectionActivityDeps>,
  slots: EngineSizing['inspections'],
): MakeWorker[] {
  const { inspectImage, proveDecoder } = createInspectionActivities(quick.inspector);
  const { inspectLargeImage } = createInspectionActivities(large.inspector);
  return [
    () => createActivityWorker(deps, INSPECTION_TASK_QUEUE, { inspectImage, proveDecoder }, slots.quick),
    () => createActivityWorker(deps, LARGE_INSPECTION_TASK_QUEUE, { inspectLargeImage }, slots.large),
  ];
}

/**
 * Workers for CPU-bound activities: one for enhancements of a second or two, and one for larger work, which therefore never
 * takes the slots of the others.
 * @param slots activities of each at once
 */
export function engineWorkers(
  deps: WorkerDeps,
  { quick, large }: Record<keyof EngineSizing['files'], EngineActivityDeps>,
  slots: EngineSizing['files'],
): MakeWorker[] {
  return [
    () => createActivityWorker(deps, ENGINE_TASK_QUEUE, createEngineActivities(quick), slots.quick),
    () => createActivityWorker(deps, LARGE_ENGINE_TASK_QUEUE, createEngineActivities(large), slots.large),
  ];
}

/** A worker for attempts to deliver webhooks. */
export function createNotificationWorker(deps: WorkerDeps, activities: NotifyDeps): Promise<Worker> {
  const attempts = createNotifyActivities(activities);
  return createActivityWorker(deps, NOTIFICATION_TASK_QUEUE, attempts, NOTIFICATION_SLOTS);
}

/** A worker for transfers with machines outside. */
export function createTransferWorker(deps: WorkerDeps, activities: TransferDeps): Promise<Worker> {
  return createActivityWorker(deps, TRANSFER_TASK_QUEUE, createTransferActivities(activities), TRANSFER_SLOTS);
}

/** @param slots activities of the task queue that run at once */
function createActivityWorker(deps: WorkerDeps, taskQueue: string, activities: object, slots: number): Promise<Worker> {
  return Worker.create({
    ...commonOptions(deps),
    taskQueue,
    activities,
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
