import {
  ActivityFailure,
  ApplicationFailure,
  TimeoutFailure,
  isCancellation,
  type ActivityOptions,
} from '@temporalio/workflow';
import { TimeoutType } from '@temporalio/common';
import { FAILURES, Failure, isFailureCode, type FailureCode, FAILURE_CODES } from '../domain/failures.ts';
import { MACHINERY_BACKOFF, MACHINERY_ROUNDS } from '../domain/temporal/retry-policies.ts';
import { MACHINERY, type Machinery } from '../domain/machinery.ts';

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

/** Records the part of the machinery that the work waits for, with a sentence for people. */
export type WaitNotice = (machinery: Machinery, sentence: string) => Promise<void>;

/** Marks a wait at which the workflow may continue as new: nothing is in flight, and state and progress say everything. */
export type Rest = <T>(wait: () => Promise<T>) => Promise<T>;

/** Options of an activity for one round of attempts; none are those of its class of work. */
export type BackoffOptions = Pick<ActivityOptions, 'retry' | 'scheduleToCloseTimeout'>;

/** Time bounds these retries, not a number of attempts. Any other failure returns to the attempts of the class of work. */
const BACKOFF: BackoffOptions = {
  ...MACHINERY_BACKOFF,
  retry: {
    ...MACHINERY_BACKOFF.retry,
    nonRetryableErrorTypes: FAILURE_CODES.filter((code) => code !== 'UNAVAILABLE'),
  },
};

/**
 * Runs an activity and waits for the machinery where it is away. The attempts of its class of work come first. When they fail
 * because a part of the machinery is away, the record names it, and the activity is retried with backoff for a day.
 * @throws the activity's failure; Failure UNAVAILABLE when the machinery stays away for longer
 */
export async function withMachineryBackoff<T>(
  waits: WaitNotice,
  run: (backoff: BackoffOptions) => Promise<T>,
): Promise<T> {
  for (let round = 1; ; round += 1) {
    let away: Machinery;
    try {
      return await run({});
    } catch (error) {
      const machinery = machineryAway(error);
      if (machinery === undefined) throw error;
      away = machinery;
    }
    await waits(away, `Waiting for ${NAMES[away]}; tried again at least once a minute.`);
    try {
      return await run(BACKOFF);
    } catch (error) {
      const machinery = machineryAway(error);
      if (machinery !== undefined) throw stillAway(machinery);
      if (isCancellation(error) || round === MACHINERY_ROUNDS || !FAILURES[failureReason(error).code].retryable)
        throw error;
    }
  }
}

function stillAway(machinery: Machinery): Failure {
  const detail = `The service waited for ${NAMES[machinery]} for a day. Try again later.`;
  return new Failure('UNAVAILABLE', { detail, machinery });
}

const NAMES: Record<Machinery, string> = {
  storage: 'the storage',
  database: 'the database',
  disk: 'space on the disk',
  memory: 'free memory',
  worker: 'a worker',
};

/** The part of the machinery that a step failed for; undefined when it failed for any other reason. */
function machineryAway(error: unknown): Machinery | undefined {
  if (isCancellation(error)) return undefined;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  // Out of its time on an attempt is for the caller to judge; every other timeout means that no worker did the work.
  if (cause instanceof TimeoutFailure) return cause.timeoutType === TimeoutType.START_TO_CLOSE ? undefined : 'worker';
  if (!(cause instanceof ApplicationFailure) || cause.type !== 'UNAVAILABLE') return undefined;
  const named = (cause.details?.[0] as { machinery?: unknown } | undefined)?.machinery;
  return MACHINERY.find((each) => each === named) ?? 'worker';
}
