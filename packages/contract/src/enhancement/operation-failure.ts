import { explainInOneText } from '../explain-failure.ts';
import type { Failure } from '../failures.ts';
import type { EnhancementRepresentation } from '../representations/answers.ts';

/** The failure that ends an operation, with the code as its type; undefined for a finished enhancement, whose record is the result. */
export function failureOfOperation({ id, status, errorCode, errorDetail }: EnhancementRepresentation) {
  if (status === 'FINISHED') return undefined;
  const type = errorCode ?? status;
  const message =
    errorDetail === null ? `The enhancement ${id} was cancelled.` : explainInOneText(errorCode, errorDetail);
  return { type, message, nonRetryable: true, details: [{ enhancementId: id }] };
}

/** The type of the Nexus error after which Temporal repeats a request of an operation; undefined for a failure that a repetition cannot mend. */
export function repeatedType({ code, retryable }: Failure): 'RESOURCE_EXHAUSTED' | 'UNAVAILABLE' | undefined {
  if (code === 'RATE_LIMITED') return 'RESOURCE_EXHAUSTED';
  return retryable || code === 'INTERNAL' ? 'UNAVAILABLE' : undefined;
}

/** The innermost cause of the caller's failure, as options of an ApplicationFailure with the code as its type. */
export function refusalOfOperation({ code, message, field }: Failure) {
  const details = field === undefined ? [] : [{ field }];
  return { type: code, message: explainInOneText(code, message), nonRetryable: true, details };
}
