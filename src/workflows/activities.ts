import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { ENGINE_TASK_QUEUE, MAIN_TASK_QUEUE } from '../domain/temporal/task-queues.ts';

/*
 * The classes of work, each with its timeouts and retries, said once. Failures that no retry can mend are marked
 * non-retryable where they are made (activities/failure.ts), so the policies here speak of trouble only: a database
 * that is away, a worker that died.
 */

/**
 * Records and ledger: cheap, idempotent statements, so they run inside the workflow task. They are retried without end:
 * a state that cannot be written waits for the database; it is never lost.
 */
export const { recordUpload, recordEnhancement, beginEnhancement, recordRedelivery } = proxyLocalActivities<Activities>(
  {
    startToCloseTimeout: '10 s',
    retry: { initialInterval: '100 ms', backoffCoefficient: 2, maximumInterval: '30 s' },
    localRetryThreshold: '5 s',
    // A statement on its way is waited for, so that a compensation comes after it.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  },
);

/**
 * A look at a received image takes milliseconds, in a child process of the main worker's own, so that it never queues
 * behind enhancements.
 */
export const { inspect } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '2 min',
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s', maximumAttempts: 5 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

const storageWork = {
  taskQueue: MAIN_TASK_QUEUE,
  heartbeatTimeout: '10 s',
  startToCloseTimeout: '10 min',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 min' },
} as const;

/** Files in storage: idempotent by key, retried without end, so that a deletion is kept even when storage is away. */
export const { deleteUploadFiles, deleteResult, deleteWork, adoptFile } = proxyActivities<Activities>(storageWork);

/** The copy of a result that serves again waits for storage like the engine's work does. */
export const { copyResult } = proxyActivities<Activities>({
  ...storageWork,
  retry: { ...storageWork.retry, maximumAttempts: 5 },
});

/** The caller's own address: tried a few times within minutes, then the caller is told. */
export const { downloadUpload } = proxyActivities<Activities>({
  taskQueue: MAIN_TASK_QUEUE,
  startToCloseTimeout: '1 h',
  heartbeatTimeout: '10 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '2 s', backoffCoefficient: 3, maximumInterval: '1 min', maximumAttempts: 5 },
});

/** A large file that a caller put straight into storage is read once; when that fails, the caller may complete it again. */
export const { takeIncoming } = proxyActivities<Activities>({
  taskQueue: MAIN_TASK_QUEUE,
  startToCloseTimeout: '1 h',
  heartbeatTimeout: '10 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s', maximumAttempts: 8 },
});

/** One attempt at each receiver. The delivery workflow holds the schedule; this retry is for trouble on our own side. */
export const { attemptDelivery, notifyReceivers } = proxyActivities<Activities>({
  taskQueue: MAIN_TASK_QUEUE,
  startToCloseTimeout: '40 s',
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 min' },
});

/**
 * CPU work on untrusted bytes. The heartbeat timeout is the time to notice a dead worker. Cancellation waits for the
 * worker to let go, so that nothing is written after the files have been deleted.
 */
const engineWork = {
  taskQueue: ENGINE_TASK_QUEUE,
  heartbeatTimeout: '8 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s', maximumAttempts: 5 },
} as const;

export const { estimate } = proxyActivities<Activities>({ ...engineWork, startToCloseTimeout: '10 min' });

export const { enhance } = proxyActivities<Activities>({ ...engineWork, startToCloseTimeout: '1 h' });

/** Parts of a large PDF. */
export const { enhancePdfSpan } = proxyActivities<Activities>({
  ...engineWork,
  startToCloseTimeout: '70 min',
});

export const { assemblePdf } = proxyActivities<Activities>({ ...engineWork, startToCloseTimeout: '70 min' });

/** A failed analysis is tried again with growing pauses before the caller hears of it. */
export const { analyze } = proxyActivities<Activities>({
  ...engineWork,
  startToCloseTimeout: '30 min',
  retry: { initialInterval: '5 s', backoffCoefficient: 3, maximumInterval: '5 min', maximumAttempts: 5 },
});
