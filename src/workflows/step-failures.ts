import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { FAILURES, Failure, isFailureCode, type FailureCode } from '../domain/failures.ts';

export interface FailureReason {
  code: FailureCode;
  detail: string;
}

/** Maps a failed step to the reason in the record. The failure's type carries the code; its message never does. */
export function failureReason(error: unknown): FailureReason {
  if (error instanceof Failure) return { code: error.code, detail: error.message };
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure && isFailureCode(cause.type)) {
    return { code: cause.type, detail: cause.message };
  }
  const code = cause instanceof TimeoutFailure ? 'UNAVAILABLE' : 'INTERNAL';
  return { code, detail: FAILURES[code].sentence };
}

/** A rejection of a command, for update validators. A plain Error would lose the code. */
export function refusal({ code, message, field }: Failure): ApplicationFailure {
  return ApplicationFailure.create({ type: code, message, nonRetryable: true, details: [{ field: field ?? null }] });
}

/** Wraps a validator so that its rejections carry their failure code. */
export function validated<Args extends unknown[]>(check: (...args: Args) => void): (...args: Args) => void {
  return (...args) => {
    try {
      check(...args);
    } catch (error) {
      throw error instanceof Failure ? refusal(error) : error;
    }
  };
}

/** Maps an error code of the hosted service: a code known to Burnish is kept, any other becomes PROVIDER_REJECTED that quotes it. */
export function hostedFailure(errorCode: string | null, what: string): Failure {
  if (errorCode === null) return new Failure('PROVIDER_REJECTED', { detail: `The hosted service could not ${what}.` });
  if (isFailureCode(errorCode)) return new Failure(errorCode, { detail: FAILURES[errorCode].sentence });
  return new Failure('PROVIDER_REJECTED', { detail: `The hosted service could not ${what}: ${errorCode}.` });
}
