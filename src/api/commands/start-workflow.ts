import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { Unavailable } from '../trouble/unavailable.ts';
import type { TemporalClient } from './command-types.ts';
import { temporalFailure } from './send-update.ts';

/** How long the workflow service may take to accept a start, in milliseconds. */
const START_WAIT_MS = 6_000;
/** So many starts a process asks for at a time; a thousand together would only use up each other's time at the service. */
export const STARTS_AT_ONCE = 32;
/** How long a start waits for its turn, in milliseconds: less than callers wait for an answer. */
export const TURN_WAIT_MS = 3_000;

const turns = pLimit(STARTS_AT_ONCE);

export type StartOptions = Parameters<Client['workflow']['start']>[1];

/**
 * Starts a workflow under an id of its own; one that runs under it, or has ended, is left as it is.
 * @throws Failure UNAVAILABLE when too many starts wait; a passing Failure when the workflow service is away: whether it took
 *   the start is then unknown
 */
export async function startOnce(client: TemporalClient, type: string, options: StartOptions): Promise<void> {
  await inTurn(() => startWorkflow(client, type, options));
}

/**
 * Runs work that ends in a start, when its turn has come.
 * @throws Failure UNAVAILABLE after a bounded wait, before anything of it has happened
 */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      const detail = 'More is being started than the workflow service takes just now. Try again.';
      reject(new Unavailable('gateway', { detail, retryAfterSeconds: 5 }));
    }, TURN_WAIT_MS);
    void turns(async () => {
      clearTimeout(timer);
      if (!isLate) await work().then(resolve, reject);
    });
  });
}

/** As `startOnce`, at once. */
export async function startWorkflow(client: TemporalClient, type: string, options: StartOptions): Promise<void> {
  try {
    await client.withDeadline(Date.now() + START_WAIT_MS, () => client.workflow.start(type, options));
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError') return;
    throw temporalFailure(error);
  }
}
