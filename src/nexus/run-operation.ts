import { ApplicationFailure } from '@temporalio/common';
import { HandlerError, type OperationContext, OperationError } from 'nexus-rpc';
import { toFailure } from '../api/http/problem.ts';
import { explainInOneText } from '../domain/explain-failure.ts';
import type { Failure } from '../domain/failures.ts';
import { inSpan, parentFrom } from '../tracing/span.ts';

interface Running {
  log: { error(facts: object, message: string): void };
  ctx: OperationContext;
}

/**
 * Runs the start of an operation in a span under the `traceparent` of its caller, and converts its failures. Temporal repeats the start after a temporary one, and ends the operation after
 * any other: the innermost cause of the caller's failure is then an ApplicationFailure with the code as its type.
 */
export async function runOperation<T>(running: Running, start: () => Promise<T>): Promise<T> {
  return await run('RunStartNexusOperation', running, start, ({ code, field }, text) => {
    const details = field === undefined ? [] : [{ field }];
    const cause = ApplicationFailure.create({ type: code, message: text, nonRetryable: true, details });
    return new OperationError('failed', text, { cause });
  });
}

/** Runs the cancellation of an operation likewise. A failure ends the request; the operation itself continues. */
export async function runCancellation(running: Running, cancel: () => Promise<void>): Promise<void> {
  await run('RunCancelNexusOperation', running, cancel, ({ code }, text) => {
    return new HandlerError(code === 'NOT_FOUND' ? 'NOT_FOUND' : 'UNAUTHORIZED', text);
  });
}

async function run<T>(
  name: string,
  { log, ctx }: Running,
  work: () => Promise<T>,
  toFinal: (failure: Failure, text: string) => Error,
): Promise<T> {
  try {
    const { service, operation, headers } = ctx;
    const attributes = { temporalNexusService: service, temporalNexusOperation: operation };
    const options = { kind: 'SERVER', attributes, parent: parentFrom(headers) } as const;
    return await inSpan(`${name}:${service}/${operation}`, options, work);
  } catch (error) {
    const failure = toFailure(error);
    const { code, message, retryable } = failure;
    const text = explainInOneText(code, message);
    if (code === 'INTERNAL' && failure.retryAfterSeconds === undefined)
      log.error({ err: failure.cause ?? error }, 'a Nexus operation failed unexpectedly');
    if (code === 'RATE_LIMITED') throw new HandlerError('RESOURCE_EXHAUSTED', text);
    if (retryable || code === 'INTERNAL') throw new HandlerError('UNAVAILABLE', text, { retryableOverride: true });
    throw toFinal(failure, text);
  }
}
