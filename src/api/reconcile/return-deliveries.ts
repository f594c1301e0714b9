import pLimit from 'p-limit';
import type { OverdueDelivery } from '../../database/webhooks/held-deliveries.ts';
import { DELIVERY_JITTER } from '../../domain/temporal/retry-policies.ts';
import { batchWorkflowId, deliveryWorkflowId, uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import { findRun } from './find-run.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';

export type ReturnDeliveriesDeps = Pick<ReconcileDeps, 'client' | 'deliveries' | 'now'>;

/** Milliseconds for which an attempt may be overdue before anyone looks for its workflow. */
const OVERDUE_MS = 20_000;
/** Milliseconds for which a first attempt may run in the workflow of its upload or batch; its answer has 15 seconds. */
const FIRST_ATTEMPT_MS = 45_000;
const MOST = 100;
const LOOKS_AT_ONCE = 8;

/**
 * Returns deliveries whose workflow has gone to those that wait for their turn. Only overdue ones are looked at. An attempt may be
 * made twice, as receivers expect, and counts once.
 * @returns their number
 */
export async function returnDeliveries(deps: ReturnDeliveriesDeps, signal: AbortSignal): Promise<number> {
  const overdue = await deps.deliveries.overdue(new Date(deps.now() - OVERDUE_MS).toISOString(), MOST);
  const limit = pLimit(LOOKS_AT_ONCE);
  const returned = await Promise.all(
    overdue.map((each) =>
      limit(() => {
        signal.throwIfAborted();
        return returnIfLost(deps, each);
      }),
    ),
  );
  return returned.filter(Boolean).length;
}

async function returnIfLost(deps: ReturnDeliveriesDeps, delivery: OverdueDelivery): Promise<boolean> {
  const { client, deliveries, now } = deps;
  const workflowId = deliveryWorkflowId(delivery.id);
  const own = await findRun(deps, workflowId);
  if (own?.isComplete) {
    // The log is older than the workflow, whose result is the outcome of the last attempt.
    const outcome = (await client.workflow.getHandle(workflowId).result()) as unknown;
    await deliveries.end(delivery.id, outcome === 'delivered' ? 'DELIVERED' : 'FAILED');
    return true;
  }
  const ageMs = now() - Date.parse(delivery.createdAt);
  if (!own?.isRunning && !(await isFirstAttempt(deps, delivery, ageMs))) return deliveries.holdLost(delivery);
  // Times of later attempts differ from the schedule by a share, and nothing waits for them.
  const leaseMs = delivery.attempts === 0 ? 0 : ageMs * DELIVERY_JITTER;
  await deliveries.lease(delivery.id, new Date(now() + leaseMs).toISOString());
  return false;
}

/** Whether the first attempt may still run, in the workflow that recorded the event. */
async function isFirstAttempt(
  deps: ReturnDeliveriesDeps,
  { attempts, released, uploadId, batchId }: OverdueDelivery,
  ageMs: number,
): Promise<boolean> {
  if (attempts > 0 || released || ageMs > FIRST_ATTEMPT_MS) return false;
  if (uploadId === null && batchId === null) return true;
  const run = await findRun(deps, uploadId === null ? batchWorkflowId(batchId!) : uploadWorkflowId(uploadId));
  return run?.isRunning === true && (run.isBusy || run.activities.includes('notifyReceivers'));
}
