import { setTimeout as pause } from 'node:timers/promises';
import {
  isGrpcDeadlineError,
  isGrpcServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  WorkflowUpdateStage,
  type Client,
} from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import { Failure, isFailureCode } from '@burnish/contract';
import { hasStatus } from '../../temporal/grpc-status.ts';
import type { TemporalClient } from './command-types.ts';
import { Unavailable } from '../trouble/unavailable.ts';
import { createFairLimiter } from '../../process/fair-limiter.ts';

const RETRY_AFTER_SECONDS = 5;

/** Share of the time of a command in which it may wait for its permit. The rest is for its answer. */
const PERMIT_SHARE = 0.75;

/** Pauses before an update that was not processed is sent again, milliseconds. They double. */
const AGAIN_MS = { first: 100, longest: 1_000 } as const;

export interface UpdateCall<Result, Args extends unknown[]> {
  /** The account whose permit the command takes, or `OWN_WORK` */
  permitOf: string;
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

/** A temporary failure of a command that the workflow has not answered in time. */
export class UnansweredCommand extends Failure {
  /** Whether the workflow may still carry it out */
  readonly mayArrive: boolean;

  constructor(detail: string, { mayArrive, cause }: { mayArrive: boolean; cause?: unknown }) {
    super('INTERNAL', { detail, retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
    this.mayArrive = mayArrive;
  }
}

/**
 * Sends an update and waits for a bounded time. An update that was not processed is sent again with the same id.
 * @throws Failure with the code of the workflow's refusal; UnansweredCommand when no worker accepted it in time
 */
export async function sendUpdate<Result, Args extends unknown[]>(
  client: TemporalClient,
  call: UpdateCall<Result, Args>,
  waitMs: number,
): Promise<UpdateOutcome<Result>> {
  const deadline = performance.now() + waitMs;
  const request = {
    owner: call.permitOf,
    subject: call.workflowId,
    waitMs: waitMs * PERMIT_SHARE,
    refusal: tooManyCommands,
  };
  return updateLimiter.run(request, (release) =>
    client.withDeadline(Date.now() + waitMs, () => sendUntil(client, call, { deadline, onAccepted: release })),
  );
}

const tooManyCommands = (): UnansweredCommand =>
  new UnansweredCommand('Too many commands wait for this record. Try again.', { mayArrive: false });

interface Sending {
  /** Milliseconds of `performance.now()` */
  deadline: number;
  /** The rest of the command may take as long as storage or an engine, without work for the server. */
  onAccepted(): void;
}

async function sendUntil<Result, Args extends unknown[]>(
  client: TemporalClient,
  { workflowId, update, args, updateId }: UpdateCall<Result, Args>,
  { deadline, onAccepted }: Sending,
): Promise<UpdateOutcome<Result>> {
  const workflow = client.workflow.getHandle(workflowId) as unknown as UpdatableWorkflow;
  let [accepted, mayArrive] = [false, false];
  for (let pauseMs: number = AGAIN_MS.first; ; pauseMs = Math.min(2 * pauseMs, AGAIN_MS.longest)) {
    try {
      const handle = await workflow.startUpdate(update, { args, updateId, waitForStage: WorkflowUpdateStage.ACCEPTED });
      accepted = true;
      onAccepted();
      return { kind: 'done', value: await handle.result() };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return { kind: 'ended' };
      const isUnprocessed = error instanceof WorkflowUpdateFailedError && wasUnprocessed(error);
      if (error instanceof WorkflowUpdateFailedError && !isUnprocessed) return refusal(error);
      // This refusal looks like an acceptance until its result is read.
      if (isUnprocessed) accepted = false;
      const isOver = isTimeout(error) || performance.now() + pauseMs >= deadline;
      if (accepted && isOver) return { kind: 'accepted' };
      mayArrive ||= !isUnprocessed && !hasStatus(findServiceError(error), 'FAILED_PRECONDITION', 'RESOURCE_EXHAUSTED');
      const mayRepeat = isUnprocessed || hasStatus(findServiceError(error), ...NOT_PROCESSED);
      if (isOver || !mayRepeat) throw unanswered(error, mayArrive);
      await pause(pauseMs * (0.5 + Math.random() / 2));
    }
  }
}

/**
 * Answers of Temporal after which an update is sent again. FAILED_PRECONDITION: the workflow could not accept it, as
 * when a continue-as-new collides with another event. RESOURCE_EXHAUSTED: too many updates are under way. UNAVAILABLE
 * and ABORTED: the server has forgotten the update, or is away.
 */
const NOT_PROCESSED = ['FAILED_PRECONDITION', 'RESOURCE_EXHAUSTED', 'UNAVAILABLE', 'ABORTED'] as const;

/** Whether the worker completed its workflow task without the update. The server refuses it then, and it had no effect. */
const wasUnprocessed = ({ cause }: WorkflowUpdateFailedError): boolean =>
  cause instanceof ApplicationFailure && cause.type === 'UnprocessedUpdate';

function unanswered(error: unknown, mayArrive: boolean): Failure {
  const detail = error instanceof WorkflowUpdateFailedError ? NO_WORKER : outageSentence(error);
  const cause = findServiceError(error) ?? error;
  return detail === undefined
    ? new Failure('INTERNAL', { cause })
    : new UnansweredCommand(detail, { mayArrive, cause });
}

/** Converts an error of the Temporal client: either Temporal is unavailable, or the error is unknown. */
export function temporalFailure(error: unknown): Failure {
  const detail = outageSentence(error);
  if (detail === undefined) return new Failure('INTERNAL', { cause: error });
  return new Failure('INTERNAL', {
    detail,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: findServiceError(error) ?? error,
  });
}

const NO_WORKER = 'No worker accepted the command in time. Try again.';

/** What a caller learns of an outage; undefined for an error that is none. */
function outageSentence(error: unknown): string | undefined {
  if (isTimeout(error)) return NO_WORKER;
  return findServiceError(error) && 'The workflow service cannot be reached. Try again.';
}

/** The gRPC error of the service, or a missing response; the client wraps some of these. */
/** The answer of the workflow service that an error is, or has as its cause. */
export function findServiceError(error: unknown) {
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

/** The owner of commands that Burnish gives itself, such as the repairs of the reconciler. */
export const OWN_WORK = 'burnish';

/**
 * Maximum number of starts that a process sends at once, and of updates without an acceptance. Thousands at once would only
 * delay each other at the service.
 */
export const COMMANDS_AT_ONCE = 16;
/** The same of one account, so that two accounts together leave permits to others. Each update costs its workflow several steps. */
export const COMMANDS_OF_ACCOUNT = { starts: 6, updates: 3 } as const;
/** Maximum number of waiting starts or updates of one account. More would not get a permit in time. */
export const WAITING_OF_ACCOUNT = 500;

/**
 * Maximum number of commands that a process sends to one workflow at a time. Temporal allows 10 unanswered updates to a
 * workflow. It refuses the next one, and then forgets the others and the workflow task that a worker has: the worker
 * runs two tasks in one, which its history cannot repeat. Four gateways stay below the limit.
 */
export const UPDATES_OF_WORKFLOW = 2;

const LIMITS = { atOnce: COMMANDS_AT_ONCE, waitingOfOwner: WAITING_OF_ACCOUNT };

/** Updates have permits of their own: they wait for a worker, and a start needs none. */
const startLimiter = createFairLimiter({ ...LIMITS, ofOwner: COMMANDS_OF_ACCOUNT.starts });
const updateLimiter = createFairLimiter({
  ...LIMITS,
  ofOwner: COMMANDS_OF_ACCOUNT.updates,
  ofSubject: UPDATES_OF_WORKFLOW,
});
