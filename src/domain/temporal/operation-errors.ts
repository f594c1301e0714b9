import { ApplicationFailure } from '@temporalio/common';
import { HandlerError, OperationError } from 'nexus-rpc';
import { explainInOneText } from '../explain-failure.ts';
import type { Failure } from '../failures.ts';

/** The error after which Temporal repeats a request of an operation; undefined for a failure that a repetition cannot mend. */
export function toRepeatedError({ code, message, retryable }: Failure): HandlerError | undefined {
  const text = explainInOneText(code, message);
  if (code === 'RATE_LIMITED') return new HandlerError('RESOURCE_EXHAUSTED', text);
  return retryable || code === 'INTERNAL'
    ? new HandlerError('UNAVAILABLE', text, { retryableOverride: true })
    : undefined;
}

/** The error that ends an operation. The innermost cause of the caller's failure is an ApplicationFailure with the code as its type. */
export function toFinalError({ code, message, field }: Failure): OperationError {
  const text = explainInOneText(code, message);
  const details = field === undefined ? [] : [{ field }];
  const cause = ApplicationFailure.create({ type: code, message: text, nonRetryable: true, details });
  return new OperationError('failed', text, { cause });
}
