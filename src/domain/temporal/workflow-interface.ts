import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Batch, Enhancement, Upload, PlanTerms } from '@burnish/contract';
import type { EnhancementRequest, Urgency } from '../enhancement/new-enhancement.ts';
import type { ArrivedFile, UploadSource } from '../upload/new-upload.ts';

export { uploadWorkflowId } from '@burnish/contract';
export const deliveryWorkflowId = (deliveryId: string): string => `delivery/${deliveryId}`;

/** The workflow that proves each minute that work moves, for all gateways together. */
export const PROGRESS_WORKFLOW_ID = 'progress';

export const batchWorkflowId = (batchId: string): string => `batch/${batchId}`;

/** Header of a workflow start. With it, the workflow accepts only commands with an encrypted argument. */
export const SEALED_COMMANDS_HEADER = 'burnish-sealed-commands';

/** Commands. A validator rejects a command with the code of a `Failure` as the error's type. */
/** Accepts all given enhancements, or none. Returns them in the given order. */
export const requestEnhancements = defineUpdate<Enhancement[], [EnhancementRequest[]]>('requestEnhancements');
export const analyzeAgain = defineUpdate<Upload>('analyzeAgain');
/** Returns once the file and the results are deleted and the tombstone is readable. */
export const deleteUpload = defineUpdate<Upload>('deleteUpload');
/** Reports a file that a PUT to the signed URL stored. The upload moves it to its own key, and accepts one of several files. */
export const putFile = defineUpdate<Upload, [ArrivedFile]>('putFile');
/** Reports a PUT to the signed URL with more bytes than declared, which fails the upload. Returns once the upload has failed. */
export const refuseLongFile = defineUpdate<Upload>('refuseLongFile');
/** Completes an upload with a signed URL. Returns once the file is checked, as UPLOAD_FAILED if it differs from its declaration. */
export const completeUpload = defineUpdate<Upload>('completeUpload');

/** The enhancement that a command addresses. */
export interface EnhancementSubject {
  enhancementId: string;
}

/** Commands about one enhancement return its new state, or null if it is not open. Its record is then complete. */
export const approveEnhancement = defineUpdate<Enhancement | null, [EnhancementSubject]>('approveEnhancement');
export const rejectEnhancement = defineUpdate<Enhancement | null, [EnhancementSubject]>('rejectEnhancement');
/** Returns once the enhancement is CANCELLED and its credits are released. An enhancement that ends meanwhile keeps its outcome. */
export const cancelEnhancement = defineUpdate<Enhancement | null, [EnhancementSubject]>('cancelEnhancement');

/** All parts of a resumable upload are in storage. */
export const partsComplete = defineSignal('partsComplete');

/** External events: delivered at least once, in any order. They only wake the workflow, which reads the state again. */
export const creditsChanged = defineSignal('creditsChanged');
/** A test account has advanced its clock. Each workflow counts the advances since its start. */
export const clockAdvanced = defineSignal<[ClockAdvance]>('clockAdvanced');

/** An advance of the clock of a test account. A workflow counts an id once. */
export interface ClockAdvance {
  seconds: number;
  id: string;
}
export interface HostedEvent {
  eventId: string;
  /** Subject of the event; absent for the upload itself, and for an event that names no enhancement */
  enhancementId?: string;
}
export const hostedEvent = defineSignal<[HostedEvent]>('hostedEvent');

export const uploadState = defineQuery<Upload>('uploadState');
/** Open enhancements, oldest first. */
export const openEnhancements = defineQuery<Enhancement[]>('openEnhancements');
/** Those of the given enhancements that have ended since the workflow's start or its last continue-as-new. */
export const endedEnhancements = defineQuery<Enhancement[], [ids: string[]]>('endedEnhancements');

/**
 * Id of an engine activity within the workflow of its upload. From it, the gateway maps the heartbeats of a running activity to
 * the enhancement.
 * @param step such as `enhance`
 */
export function engineActivityId(enhancementId: string, step: string): string {
  return `${enhancementId}/${step}`;
}

/** Type of the failure of work on a plan that an earlier version of Burnish made. The workflow has a new plan made. */
export const PLAN_OUTDATED = 'PLAN_OUTDATED';

export function belongsToEnhancement(enhancementId: string, activityId: string): boolean {
  return activityId.startsWith(`${enhancementId}/`);
}

/** Failure policy for work at the hosted service, from the settings and the request at the start of the upload. */
export interface HostedPolicy {
  fallback: 'none' | 'local';
  /** Tolerated outage before the fallback takes over, in milliseconds */
  fallbackAfterMs: number;
  /** After a lost answer without any sign of the enhancement: wait for an approval, or begin again */
  lostAnswer: 'hold' | 'repeat';
}

export interface UploadInput {
  /** The state at revision 0. The caller has written it to the database too, so that it is readable before a worker runs the workflow. */
  initial: Upload;
  source: UploadSource;
  /** The account's plan at the start */
  plan: PlanTerms;
  /** Enhancements requested with the upload; each runs as soon as the upload is ready for it. */
  enhancements: EnhancementRequest[];
  /** Recorded states of open enhancements whose workflow was lost. Each begins again, with higher revisions. */
  resume?: readonly Enhancement[];
  /** Those of `resume` with an approved estimate */
  approved?: readonly string[];
  /** Set when the provider is `hosted` */
  hosted?: HostedPolicy;
  /** Priority of its work in the task queues, unless an enhancement has its own; `single` by default */
  urgency?: Urgency;
}

/** Commands to a batch. Each returns its new state. */
export const closeBatch = defineUpdate<Batch>('closeBatch');
export const approveBatch = defineUpdate<Batch>('approveBatch');
export const pauseBatch = defineUpdate<Batch>('pauseBatch');
export const resumeBatch = defineUpdate<Batch, [BatchResumption]>('resumeBatch');
export const cancelBatch = defineUpdate<Batch>('cancelBatch');
/** Makes failed items pending again, also after the end of the batch. */
export const retryBatch = defineUpdate<Batch, [BatchRetry?]>('retryBatch');
/** The batch has new items. It only wakes the workflow. */
export const batchItemsAdded = defineSignal('batchItemsAdded');
export const batchState = defineQuery<Batch>('batchState');

export interface BatchResumption {
  /** Credits; replaces the budget of the batch. Absent: unchanged */
  maxCredits?: number;
}

export interface BatchRetry {
  /** Keys of the items, as their account sees them. Absent: all failed items */
  keys: readonly string[];
}

export interface BatchInput {
  /** The recorded state */
  initial: Batch;
}

export interface DeliveryInput {
  deliveryId: string;
  accountId: string;
  /** Upload of the event; absent for events on request */
  uploadId?: string;
  /** Host of the receiver, for the Web UI; the full URL stays in the database, because it may contain a secret */
  host: string;
  eventKind: string;
  /** The delivery to repeat, on request; the workflow then begins with its own entry in the log */
  redeliveryOf?: string;
  attempted?: EarlierAttempts;
}

/** Attempts that failed before the workflow of the delivery began. */
export interface EarlierAttempts {
  /** Time of the first one, milliseconds since the epoch; the schedule starts here */
  atMs: number;
  /** Delay that the receiver requested, in milliseconds; null without a request */
  retryAfterMs: number | null;
  /** Their number; 1 by default */
  count?: number;
}

/** Workflows and light I/O. The workers of this queue replay the histories of every workflow in it. */
export const MAIN_TASK_QUEUE = 'burnish-main';
/** Enhancements of a second or two, and other CPU-bound activities; polled by engine workers only. */
export const ENGINE_TASK_QUEUE = 'burnish-engine';
export const LARGE_ENGINE_TASK_QUEUE = 'burnish-engine-large';
export const HOSTED_TASK_QUEUE = 'burnish-hosted';
/** Attempts to deliver webhooks. A receiver that does not answer holds a slot for seconds, so they have slots of their own. */
export const NOTIFICATION_TASK_QUEUE = 'burnish-notifications';
/** Transfers with machines outside: downloads from callers, and results to their destinations. A machine may not answer for long. */
export const TRANSFER_TASK_QUEUE = 'burnish-transfers';
/** Inspections of images that decode within a second, and of larger ones; polled by main workers. */
export const INSPECTION_TASK_QUEUE = 'burnish-inspection';
export const LARGE_INSPECTION_TASK_QUEUE = 'burnish-inspection-large';

/** The task queues of an instance, with the role of the workers that poll them. That of the hosted service exists only with it. */
export const TASK_QUEUES: readonly { name: string; role: 'main' | 'engine'; ofHosted?: true }[] = [
  { name: MAIN_TASK_QUEUE, role: 'main' },
  { name: NOTIFICATION_TASK_QUEUE, role: 'main' },
  { name: TRANSFER_TASK_QUEUE, role: 'main' },
  { name: INSPECTION_TASK_QUEUE, role: 'main' },
  { name: LARGE_INSPECTION_TASK_QUEUE, role: 'main' },
  { name: ENGINE_TASK_QUEUE, role: 'engine' },
  { name: LARGE_ENGINE_TASK_QUEUE, role: 'engine' },
  { name: HOSTED_TASK_QUEUE, role: 'main', ofHosted: true },
];

/** Temporal's priority keys, 1 to 5. A task with a lower key runs first. */
export const PRIORITY_KEYS = {
  /** A user waits for it, at the dashboard or with `Prefer: wait` */
  interactive: 2,
  /** A single upload; Temporal's own default */
  single: 3,
  /** Part of a batch */
  batch: 4,
  /** Part of a large PDF: a photograph waits for at most one of them */
  span: 5,
} as const satisfies Record<Urgency | 'span', number>;

/**
 * The priority of an upload's workflow, which its activities inherit. Accounts share the queues fairly, by the weight of their
 * plan. A server without fairness serves tasks of equal priority in FIFO order.
 */
export function toPriority(accountId: string, plan: PlanTerms, urgency: Urgency) {
  return {
    priorityKey: PRIORITY_KEYS[urgency],
    fairnessKey: accountId,
    fairnessWeight: plan.fairnessWeight,
  };
}
