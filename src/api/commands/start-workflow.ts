import type { Client } from '@temporalio/client';
import { Unavailable } from '../trouble/unavailable.ts';
import type { TemporalClient } from './command-types.ts';
import { startLimiter } from './command-limits.ts';
import { temporalFailure } from './send-update.ts';

/** Maximum time in milliseconds for the workflow service to accept a start. */
const START_WAIT_MS = 6_000;
/** Maximum time in milliseconds that a start waits for its permit: less than callers wait for a response. */
export const START_PERMIT_MS = 3_000;

export type StartOptions = Parameters<Client['workflow']['start']>[1];

/**
 * Starts a workflow under an id; does nothing if a workflow of this id runs or has ended.
 * @param permitOf the account whose permit the start takes, or `OWN_WORK`
 * @throws Failure UNAVAILABLE when too many starts wait; a temporary Failure when the workflow service is
 * unavailable: it may have accepted the start
 */
export async function startOnce(
  client: TemporalClient,
  permitOf: string,
  type: string,
  options: StartOptions,
): Promise<void> {
  await withStartPermit(permitOf, () => startWorkflow(client, type, options));
}

/**
 * Runs work that ends in a start, with a permit of an account.
 * @throws Failure UNAVAILABLE after a bounded wait, before the work begins
 */
export function withStartPermit<T>(permitOf: string, work: () => Promise<T>): Promise<T> {
  return startLimiter.run({ owner: permitOf, waitMs: START_PERMIT_MS, refusal: tooManyStarts }, work);
}

function tooManyStarts(): Unavailable {
  const detail = 'The workflow service limits the rate of new uploads. Try again.';
  return new Unavailable('gateway', { detail, retryAfterSeconds: 5 });
}

/** Calls `startOnce` without waiting for a permit. */
export async function startWorkflow(client: TemporalClient, type: string, options: StartOptions): Promise<void> {
  try {
    await client.withDeadline(Date.now() + START_WAIT_MS, () => client.workflow.start(type, options));
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError') return;
    throw temporalFailure(error);
  }
}
