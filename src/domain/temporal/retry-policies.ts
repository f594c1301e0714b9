/*
 * All retry policies. Failures that no retry can fix are non-retryable at their source (activities/failure.ts). Activities are
 * therefore retried only for transient faults, such as an unavailable database or a dead worker.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Backoff of each class of activities. Without `maximumAttempts`, retries continue until the schedule-to-close timeout, if any. */
export const RETRIES = {
  /** Retried without limit: a state waits for the database, and is never lost */
  records: { initialInterval: '100 ms', backoffCoefficient: 2, maximumInterval: '30 s' },
  inspect: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s', maximumAttempts: 5 },
  /** Retried without limit, so that a deletion survives an outage of the storage */
  storage: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 min' },
  copyResult: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 min', maximumAttempts: 5 },
  /** The caller's URL gets a few attempts within minutes */
  download: { initialInterval: '2 s', backoffCoefficient: 3, maximumInterval: '1 min', maximumAttempts: 5 },
  /** For faults on Burnish's side; `DESTINATION_RETRIES` is the schedule of a destination that is away */
  destination: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 min', maximumAttempts: 3 },
  /** After a failure, the caller may complete the upload again */
  takeIncoming: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s', maximumAttempts: 8 },
  /** For faults on Burnish's side; the schedule of a delivery is `DELIVERY_OFFSETS_MS` */
  notification: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 min' },
  /** Retried without limit: items wait for the database and for the workflow service */
  batch: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 s' },
  engine: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s', maximumAttempts: 5 },
  /** Without its outcome, the image is inspected and enhanced in two steps */
  inspectAndEnhance: { maximumAttempts: 1 },
  analyze: { initialInterval: '5 s', backoffCoefficient: 3, maximumInterval: '5 min', maximumAttempts: 5 },
  hosted: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 min' },
  hostedDeletion: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '15 min' },
  /** Retried without limit: the caller of the operation waits for its result */
  operation: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 min' },
  /** The next proof comes within a minute */
  proof: { maximumAttempts: 1 },
  /** Beginning is not idempotent at the service: the workflow decides on another attempt (`HOSTED_BEGIN`) */
  hostedBegin: { maximumAttempts: 1 },
} as const;

/** Attempts to write a result to a destination that is away. The interval is the elapsed time, within these bounds. */
export const DESTINATION_RETRIES = { firstMs: 5 * SECOND, longestMs: HOUR, giveUpMs: DAY } as const;

/** Time for retries of a record inside its workflow task. Later retries use timers of the workflow. */
export const LOCAL_RETRY_THRESHOLD = '5 s';

/** Backoff while a part of the machinery is unavailable. A time limit bounds the retries, not a number of attempts. */
export const MACHINERY_BACKOFF = {
  scheduleToCloseTimeout: DAY,
  retry: {
    initialInterval: '1 s',
    backoffCoefficient: 2,
    maximumInterval: '1 min',
    // Overrides the number of attempts of the class of work.
    maximumAttempts: Infinity,
  },
} as const;

/** Maximum rounds of attempts of a step that fails alternately for the machinery and for another reason. */
export const MACHINERY_ROUNDS = 5;

/** Tolerated outage of the hosted service before an upload or an enhancement without a fallback fails. */
export const HOSTED_ABSENCE_MS = DAY;
/** Tolerated outage before a deletion fails. After it, the service's own retention deletes the files. */
export const HOSTED_DELETION_ABSENCE_MS = 7 * DAY;

/** Polling of the hosted service, in addition to its events. The interval is a share of the elapsed time. */
export const HOSTED_POLLING = { share: 0.1, shortestMs: 2 * SECOND, longestMs: 10 * MINUTE } as const;

/** Polling of Burnish's credits at the hosted service, which sends no events about them. The interval doubles. */
export const HOSTED_CREDITS = { firstMs: MINUTE, longestMs: 15 * MINUTE } as const;

export const HOSTED_BEGIN = {
  /** Backoff after attempts that certainly began nothing. The interval doubles */
  firstMs: SECOND,
  longestMs: 5 * MINUTE,
  /** Time within which a service reports an enhancement that it began, by a webhook or in its list */
  signWithinMs: 15 * MINUTE,
  /** Maximum number of attempts; each lost answer may have cost credits at the service */
  maximumAttempts: 3,
} as const;

/** Intervals before each new analysis request to the hosted service, with the number and length of those of `RETRIES.analyze`. */
export const HOSTED_ANALYSIS_INTERVALS_MS = [5 * SECOND, 15 * SECOND, 45 * SECOND, 135 * SECOND] as const;

/** Time of each attempt of a delivery after the first one, before jitter (Standard Webhooks' schedule). */
export const DELIVERY_OFFSETS_MS = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** Maximum random delay of an attempt, as a share of its interval. It spreads retries to receivers that failed together. */
export const DELIVERY_JITTER = 0.1;
