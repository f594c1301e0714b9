import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import type { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import { OUTAGES, type Machinery, asFailure, FAILURES, Failure } from '@burnish/contract';
import { failedMachinery, type FailedMachinery } from '../domain/failed-machinery.ts';

/** Log for the details of unexpected errors, which must not enter the history. */
export interface FailureLog {
  error(facts: Record<string, unknown>, message: string): void;
}

/**
 * Converts every error of an activity into a typed failure: its type is the code, `nonRetryable` says whether a retry can help,
 * and its message is a public sentence. Causes stay out of the history, because they may contain paths, URLs or secrets.
 */
export function failureInterceptor(context: Context, log: FailureLog): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      try {
        return await next(input);
      } catch (error) {
        throw toTemporalFailure(error, context, log);
      }
    },
  };
}

export function toTemporalFailure(
  thrown: unknown,
  context: Pick<Context, 'cancellationSignal' | 'info'>,
  log: FailureLog,
): Error {
  const error = asFailure(thrown);
  // A possible effect at the service must be recorded, even if the activity is cancelled.
  if (error instanceof ApplicationFailure && error.type === 'ANSWER_LOST') return error;
  if (context.cancellationSignal.aborted) {
    const { reason } = context.cancellationSignal as { reason: unknown };
    // A worker shutdown returns the activity to the queue, and does not cancel it.
    if (reason instanceof CancelledFailure && reason.message === 'WORKER_SHUTDOWN') {
      return away('worker', 'The worker is shutting down.');
    }
    return reason instanceof CancelledFailure ? reason : new CancelledFailure('Cancelled.');
  }
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  if (error instanceof Failure && error.code === 'UNAVAILABLE') {
    logUnexpected(error.cause ?? error, context, log);
    return away(error.machinery ?? 'worker', error.message);
  }
  const machinery = findMachinery(error);
  if (machinery !== undefined) {
    logUnexpected(error, context, log);
    return away(machinery, OUTAGES[machinery].sentence);
  }
  if (error instanceof Failure) {
    if (error.code === 'INTERNAL') logUnexpected(error.cause ?? error, context, log);
    return ApplicationFailure.create({
      type: error.code,
      message: error.message,
      nonRetryable: !error.retryable,
      // A wait for a permit is no fault: the SDK does not log it as one.
      ...(error.code === 'RATE_LIMITED' ? { category: ApplicationFailureCategory.BENIGN } : {}),
      // A local activity keeps the short backoff of its class: it waits within a workflow task.
      ...(error.retryAfterSeconds === undefined || context.info.isLocal
        ? {}
        : { nextRetryDelay: error.retryAfterSeconds * 1000 }),
    });
  }
  logUnexpected(error, context, log);
  return ApplicationFailure.create({ type: 'INTERNAL', message: FAILURES.INTERNAL.sentence });
}

/** The part of the machinery that caused an error; undefined for any other failure. */
function findMachinery(error: unknown): FailedMachinery | undefined {
  // Any code other than INTERNAL was chosen by code that knows the cause.
  return error instanceof Failure && error.code !== 'INTERNAL' ? undefined : failedMachinery(error);
}

/** Failure for an unavailable part of the machinery. Its details name the part for the workflow. */
function away(machinery: Machinery, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type: 'UNAVAILABLE', message, details: [{ machinery }] });
}

function logUnexpected(error: unknown, { info }: Pick<Context, 'info'>, log: FailureLog): void {
  const { activityType, attempt, workflowExecution } = info;
  log.error(
    { err: error, activityType, attempt, workflowId: workflowExecution?.workflowId },
    'activity failed unexpectedly',
  );
}
