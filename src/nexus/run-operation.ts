import { ApplicationFailure } from '@temporalio/common';
import { HandlerError, OperationError, type OperationContext } from 'nexus-rpc';
import { explainInOneText, operationErrors, type Failure } from '@burnish/contract';
import { toFailure } from '../api/http/problem.ts';
import { inSpan, parentFrom } from '../tracing/span.ts';

const { toRepeatedError, toFinalError } = operationErrors({ HandlerError, OperationError, ApplicationFailure });

interface Running {
  log: { error(facts: object, message: string): void };
  ctx: OperationContext;
}

/**
 * Runs the start of an operation in a span under the `traceparent` of its caller, and converts its failures. Temporal repeats the start after a temporary one, and ends the operation after
 * any other.
 */
export async function runOperation<T>(running: Running, start: () => Promise<T>): Promise<T> {
  return await run('RunStartNexusOperation', running, start, toFinalError);
}

/** Runs the cancellation of an operation likewise. A failure ends the request; the operation itself continues. */
export async function runCancellation(running: Running, cancel: () => Promise<void>): Promise<void> {
  await run('RunCancelNexusOperation', running, cancel, ({ code, message }) => {
    return new HandlerError(code === 'NOT_FOUND' ? 'NOT_FOUND' : 'UNAUTHORIZED', explainInOneText(code, message));
  });
}

async function run<T>(
  name: string,
  { log, ctx }: Running,
  work: () => Promise<T>,
  toFinal: (failure: Failure) => Error,
): Promise<T> {
  try {
    const { service, operation, headers } = ctx;
    const attributes = { temporalNexusService: service, temporalNexusOperation: operation };
    const options = { kind: 'SERVER', attributes, parent: parentFrom(headers) } as const;
    return await inSpan(`${name}:${service}/${operation}`, options, work);
  } catch (error) {
    const failure = toFailure(error);
    if (failure.code === 'INTERNAL' && failure.retryAfterSeconds === undefined)
      log.error({ err: failure.cause ?? error }, 'a Nexus operation failed unexpectedly');
    throw toRepeatedError(failure) ?? toFinal(failure);
  }
}
