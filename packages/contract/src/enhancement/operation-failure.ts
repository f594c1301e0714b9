import { explainInOneText } from '../explain-failure.ts';
import type { Failure } from '../failure.ts';
import type { EnhancementRepresentation } from '../representations/answers.ts';

/** The failure that ends an operation, with the code as its type; undefined for a finished enhancement, whose record is the result. */
export function failureOfOperation({ id, status, errorCode, errorDetail }: EnhancementRepresentation) {
  if (status === 'FINISHED') return undefined;
  const type = errorCode ?? status;
  const message =
    errorDetail === null ? `The enhancement ${id} was cancelled.` : explainInOneText(errorCode, errorDetail);
  return { type, message, nonRetryable: true, details: [{ enhancementId: id }] };
}

/** What makes the errors of Temporal and of Nexus: the contract has no dependency. */
interface ErrorMakers<Repeated, Final> {
  HandlerError: new (
    type: 'RESOURCE_EXHAUSTED' | 'UNAVAILABLE',
    message: string,
    options: { retryableOverride?: true },
  ) => Repeated;
  OperationError: new (state: 'failed', message: string, options: { cause: Error }) => Final;
  ApplicationFailure: {
    create(options: { type: string; message: string; nonRetryable: boolean; details: { field: string }[] }): Error;
  };
}

/** How a failure reaches the caller of an operation. */
export function operationErrors<Repeated, Final>(makers: ErrorMakers<Repeated, Final>) {
  const { HandlerError, OperationError, ApplicationFailure } = makers;
  return {
    /** The error after which Temporal repeats a request of an operation; undefined for a failure that a repetition cannot mend. */
    toRepeatedError({ code, message, retryable }: Failure): Repeated | undefined {
      const text = explainInOneText(code, message);
      if (code === 'RATE_LIMITED') return new HandlerError('RESOURCE_EXHAUSTED', text, {});
      const mayRepeat = retryable || code === 'INTERNAL';
      return mayRepeat ? new HandlerError('UNAVAILABLE', text, { retryableOverride: true }) : undefined;
    },

    /** The error that ends an operation. The innermost cause of the caller's failure is an ApplicationFailure with the code as its type. */
    toFinalError({ code, message: detail, field }: Failure): Final {
      const message = explainInOneText(code, detail);
      const details = field === undefined ? [] : [{ field }];
      const cause = ApplicationFailure.create({ type: code, message, nonRetryable: true, details });
      return new OperationError('failed', message, { cause });
    },
  };
}
