import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { Unavailable } from '../trouble/unavailable.ts';
import type { TemporalClient } from './command-types.ts';
import { temporalFailure } from './send-update.ts';

/** Maximum time in milliseconds for the workflow service to accept a start. */
const START_WAIT_MS = 6_000;
/** Maximum number of concurrent starts of a process. Thousands at once would only delay each other at the service. */
export const STARTS_AT_ONCE = 32;
/** Maximum time in milliseconds that a start waits for its turn: less than callers wait for a response. */
export const TURN_WAIT_MS = 3_000;

const turns = pLimit(STARTS_AT_ONCE);

export type StartOptions = Parameters<Client['workflow']['start']>[1];

/**
 * Starts a workflow under an id; does nothing if a workflow of this id runs or has ended.
 * @throws Failure UNAVAILABLE when too many starts wait; a temporary Failure when the workflow service is
 * unavailable: it may have accepted the start
 */
export async function startOnce(client: TemporalClient, type: string, options: StartOptions): Promise<void> {
  await inTurn(() => startWorkflow(client, type, options));
}

/**
 * Runs work that ends in a start, with limited concurrency.
 * @throws Failure UNAVAILABLE after a bounded wait, before the work begins
 */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      const detail = 'The workflow service limits the rate of new uploads. Try again.';
      reject(new Unavailable('gateway', { detail, retryAfterSeconds: 5 }));
    }, TURN_WAIT_MS);
    void turns(async () => {
      clearTimeout(timer);
      if (!isLate) await work().then(resolve, reject);
    });
  });
}

/** Calls `startOnce` without waiting for a turn. */
export async function startWorkflow(client: TemporalClient, type: string, options: StartOptions): Promise<void> {
  try {
    await client.withDeadline(Date.now() + START_WAIT_MS, () => client.workflow.start(type, options));
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError') return;
    throw temporalFailure(error);
  }
}
