import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { LOCAL_RETRY_THRESHOLD, RETRIES } from '../domain/temporal/retry-policies.ts';
import { ENGINE_TASK_QUEUE, MAIN_TASK_QUEUE } from '../domain/temporal/workflow-interface.ts';
import { timeoutsOf } from '../domain/temporal/timeouts.ts';

/**
 * Records and ledger: cheap, idempotent statements, so they run inside the workflow task. They are retried without end:
 * a state that cannot be written waits for the database; it is never lost.
 */
export const { recordUpload, recordEnhancement, beginEnhancement, recordRedelivery } = proxyLocalActivities<Activities>(
  {
    ...timeoutsOf('records'),
    retry: RETRIES.records,
    localRetryThreshold: LOCAL_RETRY_THRESHOLD,
    // A statement on its way is waited for, so that a compensation comes after it.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  },
);

/**
 * A look at a received image takes milliseconds, in a child process of the main worker's own, so that it never queues
 * behind enhancements.
 */
export const { inspect } = proxyLocalActivities<Activities>({
  ...timeoutsOf('inspect'),
  retry: RETRIES.inspect,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

const storageWork = {
  taskQueue: MAIN_TASK_QUEUE,
  ...timeoutsOf('storage'),
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: RETRIES.storage,
} as const;

/** Files in storage: idempotent by key, retried without end, so that a deletion is kept even when storage is away. */
export const { deleteUploadFiles, deleteResult, deleteWork, adoptFile } = proxyActivities<Activities>(storageWork);

/** The copy of a result that serves again waits for storage like the engine's work does. */
export const { copyResult } = proxyActivities<Activities>({
  ...storageWork,
  retry: RETRIES.copyResult,
});

/** The caller's own address: a few attempts within minutes, then the caller gets the failure. */
export const { downloadUpload } = proxyActivities<Activities>({
  taskQueue: MAIN_TASK_QUEUE,
  ...timeoutsOf('download'),
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: RETRIES.download,
});

/** A large file that a caller put straight into storage is read once; when that fails, the caller may complete it again. */
export const { takeIncoming } = proxyActivities<Activities>({
  taskQueue: MAIN_TASK_QUEUE,
  ...timeoutsOf('takeIncoming'),
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: RETRIES.takeIncoming,
});

/** One attempt at each receiver. The delivery workflow holds the schedule; this retry is for trouble on our own side. */
export const { attemptDelivery, notifyReceivers } = proxyActivities<Activities>({
  taskQueue: MAIN_TASK_QUEUE,
  ...timeoutsOf('notification'),
  retry: RETRIES.notification,
});

/**
 * CPU work on untrusted bytes. The heartbeat timeout is the time to notice a dead worker. Cancellation waits for the
 * worker to let go, so that nothing is written after the files have been deleted.
 */
const engineWork = {
  taskQueue: ENGINE_TASK_QUEUE,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: RETRIES.engine,
} as const;

export const { estimate } = proxyActivities<Activities>({ ...engineWork, ...timeoutsOf('estimate') });

export const { enhance } = proxyActivities<Activities>({ ...engineWork, ...timeoutsOf('enhance') });

/** Parts of a large PDF. */
export const { enhancePdfSpan } = proxyActivities<Activities>({ ...engineWork, ...timeoutsOf('enhancePdfSpan') });

export const { assemblePdf } = proxyActivities<Activities>({ ...engineWork, ...timeoutsOf('assemblePdf') });

/** A failed analysis is repeated with growing intervals before the caller gets the failure. */
export const { analyze } = proxyActivities<Activities>({
  ...engineWork,
  ...timeoutsOf('analyze'),
  retry: RETRIES.analyze,
});
