import { ApplicationFailure } from '@temporalio/common';
import { HandlerError, OperationError } from 'nexus-rpc';
import { toFailure } from '../api/http/problem.ts';
import { explainInOneText } from '../domain/failures.ts';

/**
 * Converts failures of an operation's start. Temporal repeats the start after a temporary one, and ends the operation after
 * any other: the innermost cause of the caller's failure is then an ApplicationFailure with the code as its type.
 */
export async function asOperation<T>(
  log: { error(facts: object, message: string): void },
  start: () => Promise<T>,
): Promise<T> {
  try {
    return await start();
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
