import {
  ActivityFailure,
  ApplicationFailure,
  TimeoutFailure,
  isCancellation,
  type ActivityOptions,
} from '@temporalio/workflow';
import {
  FAILURES,
  Failure,
  FAILURE_CODES,
  isFailureCode,
  type FailureCode,
  MACHINERY,
  OUTAGES,
  type Machinery,
} from '@burnish/contract';
import { MACHINERY_BACKOFF, MACHINERY_ROUNDS } from '../domain/temporal/retry-policies.ts';

/** Records the part of the machinery that is unavailable, with a sentence for readers of the record. */
export type WaitNotice = (machinery: Machinery, sentence: string) => Promise<void>;

/** Marks a wait during which the workflow may continue as new. No activity is running then, and state and progress are complete. */
export type WhileIdle = <T>(wait: () => Promise<T>) => Promise<T>;

/** Options of an activity for one round of attempts. An empty object keeps the options of its class of work. */
export interface BackoffOptions extends Pick<ActivityOptions, 'retry'> {
  /** Milliseconds */
  scheduleToCloseTimeout?: number;
}

/** A time limit bounds these retries, not a number of attempts. Any other failure returns to the attempts of the class of work. */
const BACKOFF: BackoffOptions = {
  ...MACHINERY_BACKOFF,
  retry: {
    ...MACHINERY_BACKOFF.retry,
    nonRetryableErrorTypes: FAILURE_CODES.filter((code) => code !== 'UNAVAILABLE'),
  },
};

/** An activity that takes options for one execution, as the SDK's proxies do. */
interface StepActivity<Args extends unknown[], T> {
  executeWithOptions(options: ActivityOptions, args: Args): Promise<T>;
}

/**
 * Runs one step of a lifecycle: an activity that waits while the machinery is unavailable. The attempts of its class of work run
 * first. If they fail because a part of the machinery is unavailable, the record names that part. The activity is then retried
 * with backoff for a day.
 * @throws the activity's failure; Failure UNAVAILABLE when the machinery stays unavailable for longer
 */
export const step = <Args extends unknown[], T>(
  waits: WaitNotice,
  activity: StepActivity<Args, T>,
  options: ActivityOptions,
  ...args: Args
): Promise<T> =>
  withMachineryBackoff(waits, (backoff) => activity.executeWithOptions({ ...backoff, ...options }, args));

/** Runs work whose activity needs more than options, as `step` does. */
export async function withMachineryBackoff<T>(
  waits: WaitNotice,
  run: (backoff: BackoffOptions) => Promise<T>,
): Promise<T> {
  for (let round = 1; ; round += 1) {
    let unavailable: Machinery;
    try {
      return await run({});
    } catch (error) {
      const machinery = unavailableMachinery(error);
      if (machinery === undefined) throw error;
      unavailable = machinery;
    }
    await waits(unavailable, `Waiting for ${OUTAGES[unavailable].missing}. Burnish retries at least once a minute.`);
    try {
      return await run(BACKOFF);
    } catch (error) {
      const machinery = unavailableMachinery(error);
      if (machinery !== undefined) throw stillUnavailable(machinery);
      if (isCancellation(error) || round === MACHINERY_ROUNDS || !FAILURES[failureReason(error).code].retryable)
        throw error;
    }
  }
}

function stillUnavailable(machinery: Machinery): Failure {
  const detail = `The work waited for ${OUTAGES[machinery].missing} for a day. Try again later.`;
  return new Failure('UNAVAILABLE', { detail, machinery });
}

/** The unavailable part of the machinery that made a step fail; undefined for any other reason. */
function unavailableMachinery(error: unknown): Machinery | undefined {
  if (isCancellation(error)) return undefined;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  // A timeout means that no worker completed the activity. Limits of the file end its task long before.
  if (cause instanceof TimeoutFailure) return 'worker';
  if (!(cause instanceof ApplicationFailure) || cause.type !== 'UNAVAILABLE') return undefined;
  const named = (cause.details?.[0] as { machinery?: unknown } | undefined)?.machinery;
  return MACHINERY.find((each) => each === named) ?? 'worker';
}

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
