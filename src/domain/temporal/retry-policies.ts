/*
 * Every retry policy, stated once. Failures that no retry can mend are marked non-retryable where they are made
 * (activities/failure.ts), so activities are retried for trouble only: a database that is away, a worker that died.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Backoff of each class of activities. Without `maximumAttempts`, attempts go on until the schedule-to-close timeout, if any. */
export const RETRIES = {
  /** A state that cannot be written waits for the database; it is never lost */
  records: { initialInterval: '100 ms', backoffCoefficient: 2, maximumInterval: '30 s' },
  inspect: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s', maximumAttempts: 5 },
  /** A deletion is kept even when storage is away */
  storage: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 min' },
  copyResult: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 min', maximumAttempts: 5 },
  /** The caller's address gets a few attempts within minutes */
  download: { initialInterval: '2 s', backoffCoefficient: 3, maximumInterval: '1 min', maximumAttempts: 5 },
  /** A failure lets the caller complete the upload again */
  takeIncoming: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s', maximumAttempts: 8 },
  /** For trouble on our own side; the schedule of a delivery is `DELIVERY_OFFSETS_MS` */
  notification: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 min' },
  engine: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '30 s', maximumAttempts: 5 },
  analyze: { initialInterval: '5 s', backoffCoefficient: 3, maximumInterval: '5 min', maximumAttempts: 5 },
  hosted: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 min' },
  hostedDeletion: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '15 min' },
  /** Beginning is not idempotent at the service: `BEGIN` decides whether there is another attempt */
  hostedBegin: { maximumAttempts: 1 },
} as const;

/** Time in which a record is retried inside its workflow task; later retries are timers of the workflow. */
export const LOCAL_RETRY_THRESHOLD = '5 s';

/** Work that waits for a part of the machinery: retried by time, not by attempts. */
export const MACHINERY_BACKOFF = {
  scheduleToCloseTimeout: '1 day',
  retry: {
    initialInterval: '1 s',
    backoffCoefficient: 2,
    maximumInterval: '1 min',
    // Stated, because the class of work has a number of its own.
    maximumAttempts: Infinity,
  },
} as const;

/** Rounds of attempts at a step that fails now for trouble of the machinery, now for another reason. */
export const MACHINERY_ROUNDS = 5;

/** The hosted service may be away for so long before an upload or an enhancement without a fallback fails. */
export const HOSTED_ABSENCE_MS = DAY;
/** A service that is away for a week keeps its files until its own retention ends them. */
export const HOSTED_DELETION_ABSENCE_MS = 7 * DAY;

/** Polling of the hosted service, behind its events. The interval is a share of the time that the work has taken so far. */
export const HOSTED_POLLING = { share: 0.1, shortestMs: 2 * SECOND, longestMs: 10 * MINUTE } as const;

/** Polling of our credits at the hosted service, which has no events: the interval doubles. */
export const HOSTED_CREDITS = { firstMs: MINUTE, longestMs: 15 * MINUTE } as const;

/** Beginning an enhancement at the hosted service. */
export const HOSTED_BEGIN = {
  /** Backoff after attempts that certainly began nothing: the interval doubles */
  firstMs: SECOND,
  longestMs: 5 * MINUTE,
  /** A service that has begun shows it within this time, by a webhook or in its list */
  signWithinMs: 15 * MINUTE,
  /** Attempts in all; each lost answer may have cost credits at the service */
  maximumAttempts: 3,
} as const;

/** Intervals before the hosted service is asked to analyse again: as many and as long as those of `RETRIES.analyze`. */
export const HOSTED_ANALYSIS_INTERVALS_MS = [5 * SECOND, 15 * SECOND, 45 * SECOND, 135 * SECOND] as const;

/** When each attempt of a delivery is made, after the first, before jitter (Standard Webhooks' schedule). */
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

/** Attempts come up to this share of their interval later, so that receivers that failed together are not hit together. */
export const DELIVERY_JITTER = 0.1;
