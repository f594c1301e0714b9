import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { FAILURES, Failure, isFailureCode, type FailureCode } from '../domain/failures.ts';

export interface FailureReason {
  code: FailureCode;
  /** Public sentence */
  detail: string;
}

/** What a failed step means for the record: the code travels as the failure's type, never in its message. */
export function failureReason(error: unknown): FailureReason {
  if (error instanceof Failure) return { code: error.code, detail: error.message };
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure && isFailureCode(cause.type)) {
    return { code: cause.type, detail: cause.message };
  }
  // A step that ran out of its time on every attempt took its worker down or hung: the file is more than the limits allow.
  const code = cause instanceof TimeoutFailure ? 'PROCESSING_LIMIT' : 'INTERNAL';
  return { code, detail: FAILURES[code].sentence };
}

/** A refusal of a command, for validators. A plain Error would not carry the code. */
export function refusal({ code, message, field }: Failure): ApplicationFailure {
  return ApplicationFailure.create({ type: code, message, nonRetryable: true, details: [{ field: field ?? null }] });
}

/** A validator whose refusals carry their code. */
export function validated<Args extends unknown[]>(check: (...args: Args) => void): (...args: Args) => void {
  return (...args) => {
    try {
      check(...args);
    } catch (error) {
      throw error instanceof Failure ? refusal(error) : error;
    }
  };
}

/** What the service's own error means here: its code where it is one of ours, else a refusal that quotes it. */
export function hostedFailure(errorCode: string | null, what: string): Failure {
  if (errorCode === null) return new Failure('PROVIDER_REJECTED', { detail: `The hosted service could not ${what}.` });
  if (isFailureCode(errorCode)) return new Failure(errorCode, { detail: FAILURES[errorCode].sentence });
  return new Failure('PROVIDER_REJECTED', { detail: `The hosted service could not ${what}: ${errorCode}.` });
}
