import type { Client } from '@temporalio/client';
import type { TemporalClient } from '../ports.ts';
import { temporalFailure } from './send-update.ts';

/** How long the workflow service may take to accept a start, in milliseconds. */
const START_WAIT_MS = 10_000;

export type StartOptions = Parameters<Client['workflow']['start']>[1];

/**
 * Starts a workflow under an id of its own; one that runs under it, or has ended, is left as it is.
 * @throws a passing Failure INTERNAL when the workflow service is away; whether it took the start is then unknown
 */
export async function startOnce(client: TemporalClient, type: string, options: StartOptions): Promise<void> {
  try {
    await client.withDeadline(Date.now() + START_WAIT_MS, () => client.workflow.start(type, options));
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError') return;
    throw temporalFailure(error);
  }
}
