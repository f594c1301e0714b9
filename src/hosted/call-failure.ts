import { Failure, type FailureCode, type FailureOptions } from '@burnish/contract';

export class CallFailure extends Failure {
  /** Whether the service may have executed the call: it did not clearly refuse, and the request may have arrived. */
  readonly mayHaveActed: boolean;
  /** Whether the service itself answered, even with a refusal. */
  readonly answered: boolean;

  constructor(code: FailureCode, { mayHaveActed = false, answered = true, ...options }: CallFailureOptions) {
    super(code, options);
    this.mayHaveActed = mayHaveActed;
    this.answered = answered;
  }
}

interface CallFailureOptions extends FailureOptions {
  mayHaveActed?: boolean;
  answered?: boolean;
}

export function unavailable(detail: string, options: Omit<CallFailureOptions, 'detail'> = {}): CallFailure {
  return new CallFailure('PROVIDER_UNAVAILABLE', { detail, answered: false, ...options });
}

export function rejected(detail: string): CallFailure {
  return new CallFailure('PROVIDER_REJECTED', { detail });
}

/** Only the operator can correct the key. */
export function keyRefused(): CallFailure {
  return rejected('The hosted service refused the API key. Check BURNISH_HOSTED_API_KEY.');
}

/** Whole seconds to wait, at least 1, or nothing. */
export function retryAfter(ms: number | null): { retryAfterSeconds?: number } {
  return ms === null ? {} : { retryAfterSeconds: Math.max(1, Math.ceil(ms / 1000)) };
}
