import { ApplicationFailure } from '@temporalio/common';
import { HandlerError, OperationError } from 'nexus-rpc';
import { explainInOneText, refusalOfOperation, repeatedType, type Failure } from '@burnish/contract';

/** The error after which Temporal repeats a request of an operation; undefined for a failure that a repetition cannot mend. */
export function toRepeatedError(failure: Failure): HandlerError | undefined {
  const type = repeatedType(failure);
  if (type === undefined) return undefined;
  const options = type === 'UNAVAILABLE' ? { retryableOverride: true } : {};
  return new HandlerError(type, explainInOneText(failure.code, failure.message), options);
}

/** The error that ends an operation. The innermost cause of the caller's failure is an ApplicationFailure with the code as its type. */
export function toFinalError(failure: Failure): OperationError {
  const refusal = refusalOfOperation(failure);
  return new OperationError('failed', refusal.message, { cause: ApplicationFailure.create(refusal) });
}
