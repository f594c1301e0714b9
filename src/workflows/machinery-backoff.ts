import { TimeoutType } from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  TimeoutFailure,
  type ActivityOptions,
} from '@temporalio/workflow';
import { Failure, FAILURE_CODES, FAILURES } from '../domain/failures.ts';
import { MACHINERY_BACKOFF, MACHINERY_ROUNDS } from '../domain/temporal/retry-policies.ts';
import { MACHINERY, type Machinery } from '../domain/machinery.ts';
import { failureReason } from './failure-reason.ts';

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
export function machineryAway(error: unknown): Machinery | undefined {
  if (isCancellation(error)) return undefined;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  // Out of its time on an attempt is for the caller to judge; every other timeout means that no worker did the work.
  if (cause instanceof TimeoutFailure) return cause.timeoutType === TimeoutType.START_TO_CLOSE ? undefined : 'worker';
  if (!(cause instanceof ApplicationFailure) || cause.type !== 'UNAVAILABLE') return undefined;
  const named = (cause.details?.[0] as { machinery?: unknown } | undefined)?.machinery;
  return MACHINERY.find((each) => each === named) ?? 'worker';
}
