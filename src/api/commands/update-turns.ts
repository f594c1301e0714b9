import pLimit from 'p-limit';

/**
 * Maximum number of commands that a process sends to one workflow at a time. Temporal allows 10 unanswered updates to a
 * workflow. It refuses the next one, and then forgets the others and the workflow task that a worker has: the worker
 * runs two tasks in one, which its history cannot repeat. Two gateways stay below the limit.
 */
export const UPDATES_AT_ONCE = 4;

const queues = new Map<string, ReturnType<typeof pLimit>>();

/**
 * Runs work that sends an update to a workflow, in the order of the calls, with limited concurrency.
 * @param waitMs maximum wait for a turn, milliseconds
 * @returns the result of the work; undefined if it had no turn in time, and did not run
 */
export function inUpdateTurn<T>(workflowId: string, waitMs: number, work: () => Promise<T>): Promise<T | undefined> {
  const queue = queues.get(workflowId) ?? pLimit(UPDATES_AT_ONCE);
  queues.set(workflowId, queue);
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      resolve(undefined);
    }, waitMs);
    void queue(async () => {
      clearTimeout(timer);
      if (!isLate) await work().then(resolve, reject);
      // This one is still counted.
      if (queue.activeCount + queue.pendingCount <= 1) queues.delete(workflowId);
    });
  });
}
