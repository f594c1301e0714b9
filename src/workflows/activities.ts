import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { LOCAL_RETRY_THRESHOLD, RETRIES } from '../domain/temporal/retry-policies.ts';
import {
  ENGINE_TASK_QUEUE,
  LARGE_ENGINE_TASK_QUEUE,
  INSPECTION_TASK_QUEUE,
  LARGE_INSPECTION_TASK_QUEUE,
  MAIN_TASK_QUEUE,
  NOTIFICATION_TASK_QUEUE,
  TRANSFER_TASK_QUEUE,
} from '../domain/temporal/workflow-interface.ts';
import { getTimeouts, PROOF_QUEUED_MS, QUICK_IMAGE_QUEUED_MS } from '../domain/temporal/timeouts.ts';
import { oneAtATime } from './one-at-a-time.ts';

/**
 * Records and ledger. Their statements are cheap and idempotent, so they run as local activities inside the workflow task. They
 * are retried without limit: a state waits for the database, and is never lost.
 *
 * Before you copy this: a local activity without a limit of attempts suits statements that take milliseconds and may be repeated.
 * While it runs, signals and updates of its workflow wait, and a lost worker repeats it from its start. `LOCAL_RETRY_THRESHOLD` ends the wait
 * within a task: a longer pause is a timer of the workflow.
 */
const records = proxyLocalActivities<Activities>({
  ...getTimeouts('records'),
  retry: RETRIES.records,
  localRetryThreshold: LOCAL_RETRY_THRESHOLD,
  // Cancellation waits for a running statement, so that a compensation runs after it.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});
export const recordUpload = oneAtATime(records.recordUpload);
export const recordEnhancement = oneAtATime(records.recordEnhancement);
export const recordDestination = oneAtATime(records.recordDestination);
export const beginEnhancement = oneAtATime(records.beginEnhancement);
export const recordRedelivery = oneAtATime(records.recordRedelivery);
export const recordBatch = oneAtATime(records.recordBatch);

const inspectionWork = {
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: RETRIES.inspect,
} as const;

/**
 * Inspections of received images. They have queues of their own, so that they queue behind no other work. Accounts share the
 * queues by their plan. Cancellation waits for the activity to end, so that nothing reads a deleted file.
 */
export const { inspectImage } = proxyActivities<Activities>({
  ...inspectionWork,
  ...getTimeouts('inspectImage'),
  taskQueue: INSPECTION_TASK_QUEUE,
});

/** A large image takes its turn among the large images only. */
export const { inspectLargeImage } = proxyActivities<Activities>({
  ...inspectionWork,
  ...getTimeouts('inspectLargeImage'),
  taskQueue: LARGE_INSPECTION_TASK_QUEUE,
});

/** Steps of a batch. They read and write the items in the database, and start uploads. */
export const { advanceBatch, chooseBatchSamples, predictBatch, retryBatchItems } = proxyActivities<Activities>({
  taskQueue: MAIN_TASK_QUEUE,
  ...getTimeouts('batch'),
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: RETRIES.batch,
});

const storageWork = {
  taskQueue: MAIN_TASK_QUEUE,
  ...getTimeouts('storage'),
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: RETRIES.storage,
} as const;

/**
 * Operations on stored files. They are idempotent by key and retried without limit, so that a deletion survives an outage of
 * the storage.
 */
export const { deleteUploadFiles, deleteResult, deleteWork, adoptFile } = proxyActivities<Activities>(storageWork);

/** Copies a reused result. It waits for storage in the same way as the engine's activities. */
export const { copyResult } = proxyActivities<Activities>({
  ...storageWork,
  retry: RETRIES.copyResult,
});

/**
 * Downloads from the caller's URL, or from a bucket of the account. A few attempts run within minutes. Then the upload fails, or it
 * waits for the bucket.
 */
export const { downloadUpload, readFromBucket } = proxyActivities<Activities>({
  taskQueue: TRANSFER_TASK_QUEUE,
  ...getTimeouts('download'),
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: RETRIES.download,
});

/** The retries of a write to a destination. The workflow waits for one that is away. */
export const DESTINATION_ATTEMPTS = { ...RETRIES.destination, nonRetryableErrorTypes: ['DESTINATION_UNAVAILABLE'] };

/**
 * Writes a result to the caller's destination. Repeats are harmless: a PUT of the same bytes. Cancellation waits for the end of
 * the transfer, so that nothing is read after the deletion of the files.
 */
export const { writeToDestination } = proxyActivities<Activities>({
  taskQueue: TRANSFER_TASK_QUEUE,
  ...getTimeouts('destination'),
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: DESTINATION_ATTEMPTS,
});

/** Operations that read a large file once: one that the caller put directly into storage, or one that arrived in parts. */
export const { takeIncoming, joinParts } = proxyActivities<Activities>({
  taskQueue: MAIN_TASK_QUEUE,
  ...getTimeouts('takeIncoming'),
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: RETRIES.takeIncoming,
});

/** One attempt per receiver. The delivery workflow runs the schedule; this retry covers failures on Burnish's side. */
export const { attemptDelivery, notifyReceivers } = proxyActivities<Activities>({
  taskQueue: NOTIFICATION_TASK_QUEUE,
  ...getTimeouts('notification'),
  retry: RETRIES.notification,
});

/**
 * CPU-bound activities on untrusted bytes. The heartbeat timeout bounds the time to detect a dead worker. Cancellation waits
 * for the activity to end, so that it writes nothing after the deletion of the files.
 */
const engineWork = {
  taskQueue: LARGE_ENGINE_TASK_QUEUE,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: RETRIES.engine,
} as const;

/** Their callers choose `ENGINE_TASK_QUEUE` for work of a second or two. */
export const { estimate } = proxyActivities<Activities>({ ...engineWork, ...getTimeouts('estimate') });

export const { enhance } = proxyActivities<Activities>({ ...engineWork, ...getTimeouts('enhance') });

/** Images of quick work only. One that finds no engine worker at once is inspected by itself. */
export const { inspectAndEnhance } = proxyActivities<Activities>({
  ...engineWork,
  ...getTimeouts('inspectAndEnhance'),
  taskQueue: ENGINE_TASK_QUEUE,
  scheduleToStartTimeout: QUICK_IMAGE_QUEUED_MS,
  retry: RETRIES.inspectAndEnhance,
});

export const { enhancePdfSpan } = proxyActivities<Activities>({ ...engineWork, ...getTimeouts('enhancePdfSpan') });

export const { assemblePdf } = proxyActivities<Activities>({ ...engineWork, ...getTimeouts('assemblePdf') });

/** A failed analysis is retried with backoff before it fails for the caller. */
export const { analyze } = proxyActivities<Activities>({
  ...engineWork,
  ...getTimeouts('analyze'),
  retry: RETRIES.analyze,
});

const proof = { ...getTimeouts('proof'), scheduleToStartTimeout: PROOF_QUEUED_MS, retry: RETRIES.proof } as const;

/** Proofs that work moves, each in the queue of the work that it stands for. */
export const { proveStores } = proxyActivities<Activities>({ ...proof, taskQueue: MAIN_TASK_QUEUE });
export const { proveDecoder } = proxyActivities<Activities>({ ...proof, taskQueue: INSPECTION_TASK_QUEUE });
