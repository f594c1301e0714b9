import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { Failure } from '../../domain/failures.ts';
import type { TemporalClient } from '../ports.ts';
import { temporalFailure } from './send-update.ts';

/** How long the workflow service may take to accept a start, in milliseconds. */
const START_WAIT_MS = 10_000;
/** So many starts a process asks for at a time; a thousand together would only use up each other's time at the service. */
export const STARTS_AT_ONCE = 32;
/** How long a start waits for its turn, in milliseconds: less than callers wait for an answer. */
export const TURN_WAIT_MS = 30_000;

const turns = pLimit(STARTS_AT_ONCE);

export type StartOptions = Parameters<Client['workflow']['start']>[1];

/**
 * Starts a workflow under an id of its own; one that runs under it, or has ended, is left as it is.
 * @throws a passing Failure INTERNAL when the workflow service is away or too many starts wait; whether it took the start is then unknown
 */
export async function startOnce(client: TemporalClient, type: string, options: StartOptions): Promise<void> {
  const giveUpAt = Date.now() + TURN_WAIT_MS;
  try {
    await turns(() => {
      if (Date.now() > giveUpAt) throw tooMany();
      return client.withDeadline(Date.now() + START_WAIT_MS, () => client.workflow.start(type, options));
    });
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError') return;
    throw error instanceof Failure ? error : temporalFailure(error);
  }
}

function tooMany(): Failure {
  return new Failure('INTERNAL', {
    detail: 'More is being started than the workflow service takes just now. Try again.',
    retryAfterSeconds: 5,
  });
}
