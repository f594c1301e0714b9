import { Failure, FAILURES, isFailureCode } from '../../domain/failures.ts';

/** What the service's own error means here: its code where it is one of ours, else a refusal that quotes it. */
export function hostedFailure(errorCode: string | null, what: string): Failure {
  if (errorCode === null) return new Failure('PROVIDER_REJECTED', { detail: `The hosted service could not ${what}.` });
  if (isFailureCode(errorCode)) return new Failure(errorCode, { detail: FAILURES[errorCode].sentence });
  return new Failure('PROVIDER_REJECTED', { detail: `The hosted service could not ${what}: ${errorCode}.` });
}
