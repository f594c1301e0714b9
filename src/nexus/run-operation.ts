import { ApplicationFailure } from '@temporalio/common';
import { HandlerError, type OperationContext, OperationError } from 'nexus-rpc';
import { toFailure } from '../api/http/problem.ts';
import { explainInOneText } from '../domain/explain-failure.ts';
import { inSpan, parentFrom } from '../tracing/span.ts';

/**
 * Runs the start of an operation in a span under the `traceparent` of its caller, and converts its failures. Temporal repeats the start after a temporary one, and ends the operation after
 * any other: the innermost cause of the caller's failure is then an ApplicationFailure with the code as its type.
 */
export async function runOperation<T>(
  { log, ctx }: { log: { error(facts: object, message: string): void }; ctx: OperationContext },
  start: () => Promise<T>,
): Promise<T> {
  try {
    const { service, operation, headers } = ctx;
    const attributes = { temporalNexusService: service, temporalNexusOperation: operation };
    const options = { kind: 'SERVER', attributes, parent: parentFrom(headers) } as const;
    return await inSpan(`RunStartNexusOperation:${service}/${operation}`, options, start);
  } catch (error) {
    const failure = toFailure(error);
    const { code, message, retryable, field } = failure;
    const text = explainInOneText(code, message);
    if (code === 'INTERNAL' && failure.retryAfterSeconds === undefined)
      log.error({ err: failure.cause ?? error }, 'a Nexus operation failed unexpectedly');
    if (code === 'RATE_LIMITED') throw new HandlerError('RESOURCE_EXHAUSTED', text);
    if (retryable || code === 'INTERNAL') throw new HandlerError('UNAVAILABLE', text, { retryableOverride: true });
    const details = field === undefined ? [] : [{ field }];
    const cause = ApplicationFailure.create({ type: code, message: text, nonRetryable: true, details });
    throw new OperationError('failed', text, { cause });
  }
}
