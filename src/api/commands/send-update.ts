import { setTimeout as pause } from 'node:timers/promises';
import {
  isGrpcDeadlineError,
  isGrpcServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  WorkflowUpdateStage,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { UpdateDefinition } from '@temporalio/common';
import { Failure, isFailureCode } from '../../domain/failures.ts';
import { hasStatus } from '../../temporal/grpc-status.ts';
import type { TemporalClient } from './command-types.ts';

const RETRY_AFTER_SECONDS = 5;

/**
 * Pause after FAILED_PRECONDITION, milliseconds: the workflow could not accept the update, and the update has had no
 * effect. The Temporal server returns it when a continue-as-new collides with another event. The workflow then evaluates
 * both again.
 */
const NOT_READY_PAUSE_MS = 100;

export interface UpdateCall<Result, Args extends unknown[]> {
  workflowId: string;
  update: UpdateDefinition<Result, Args>;
  args: Args;
  /** A workflow run executes the same id once. */
  updateId: string;
}

/** A generic form of the client's method. Its signature differs for updates with and without arguments. */
interface UpdatableWorkflow {
  startUpdate<Result, Args extends unknown[]>(
    update: UpdateDefinition<Result, Args>,
    options: { args: Args; updateId: string; waitForStage: typeof WorkflowUpdateStage.ACCEPTED },
  ): Promise<{ result(): Promise<Result> }>;
}

/**
 * The outcome of a command. `done`: it has the new state. `accepted`: the workflow still runs it. `ended`: no
 * workflow can accept it.
 */
export type UpdateOutcome<Result> = { kind: 'done'; value: Result } | { kind: 'accepted' } | { kind: 'ended' };

/**
 * Sends an update and waits for a bounded time.
 * @throws Failure with the code of the workflow's refusal; a temporary INTERNAL when no worker accepted it in time
 */
export async function sendUpdate<Result, Args extends unknown[]>(
  client: TemporalClient,
  call: UpdateCall<Result, Args>,
  waitMs: number,
): Promise<UpdateOutcome<Result>> {
  let accepted = false;
  try {
    return await client.withDeadline(Date.now() + waitMs, async () => {
      const workflow = client.workflow.getHandle(call.workflowId) as unknown as UpdatableWorkflow;
      const handle = await startWhenReady(workflow, call);
      accepted = true;
      return { kind: 'done', value: await handle.result() };
    });
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { kind: 'ended' };
    if (error instanceof WorkflowUpdateFailedError) return refusal(error);
    if (isTimeout(error) && accepted) return { kind: 'accepted' };
    throw temporalFailure(error);
  }
}

/** Retries until the deadline of the surrounding call. */
async function startWhenReady<Result, Args extends unknown[]>(
  workflow: UpdatableWorkflow,
  { update, args, updateId }: UpdateCall<Result, Args>,
): Promise<{ result(): Promise<Result> }> {
  for (;;) {
    try {
      return await workflow.startUpdate(update, { args, updateId, waitForStage: WorkflowUpdateStage.ACCEPTED });
    } catch (error) {
      if (!hasStatus(findServiceError(error), 'FAILED_PRECONDITION')) throw error;
      await pause(NOT_READY_PAUSE_MS);
    }
  }
}

/** Converts an error of the Temporal client: either Temporal is unavailable, or the error is unknown. */
export function temporalFailure(error: unknown): Failure {
  if (isTimeout(error)) {
    return new Failure('INTERNAL', {
      detail: 'No worker accepted the command in time. Try again.',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: error,
    });
  }
  const serviceError = findServiceError(error);
  if (serviceError !== undefined) {
    return new Failure('INTERNAL', {
      detail: 'The workflow service cannot be reached. Try again.',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: serviceError,
    });
  }
  return new Failure('INTERNAL', { cause: error });
}

/** The gRPC error of the service, or a missing response; the client wraps some of these. */
function findServiceError(error: unknown) {
  if (isGrpcServiceError(error)) return error;
  return error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : undefined;
}

function isTimeout(error: unknown): boolean {
  return error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isGrpcDeadlineError(error);
}

/**
 * Converts a refusal: the type of the workflow's failure is a failure code, unless the workflow ended during the
 * update.
 */
function refusal(error: WorkflowUpdateFailedError): { kind: 'ended' } {
  const { cause } = error;
  if (cause instanceof ApplicationFailure) {
    if (cause.type === 'AcceptedUpdateCompletedWorkflow') return { kind: 'ended' };
    if (isFailureCode(cause.type)) {
      const field = readField(cause.details?.[0]);
      throw new Failure(cause.type, { detail: cause.message, ...(field === undefined ? {} : { field }), cause });
    }
  }
  throw new Failure('INTERNAL', { cause: error });
}

function readField(details: unknown): string | undefined {
  if (typeof details !== 'object' || details === null || !('field' in details)) return undefined;
  return typeof details.field === 'string' ? details.field : undefined;
}
