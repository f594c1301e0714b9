import { DAY_MS } from '@burnish/contract';

/*
 * All waits of workflows, in milliseconds, that are neither a retry (retry-policies.ts) nor a limit of an activity
 * (timeouts.ts).
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits for the hosted service. */
export const HOSTED_WAITS = {
  /** It fetches and checks a file within seconds. If it reports nothing for this long, it has lost the file */
  fileMs: HOUR,
  analysisMs: DAY_MS,
  /** Time to register a repeated request for an analysis, so that its old answer is not read as a new one */
  analysisAgainMs: 2 * SECOND,
  /** A PDF of 1,000 MB in a full queue may take hours. After this time the workflow stops waiting */
  resultMs: DAY_MS,
  /** A claim expires unless it is renewed. The release of a slot wakes the next claimant, so a shorter interval saves no time */
  claimRenewalMs: 5 * MINUTE,
} as const;

/** Intervals between the steps of a batch. They halve while most items end in one, and double while nothing starts or ends. */
export const BATCH_WAITS = {
  shortestMs: SECOND / 4,
  /** After a command, and while some items end */
  usualMs: SECOND,
  /** While items run: their ends are read from the records */
  longestMs: 15 * SECOND,
  /** While the batch waits for items; a signal about them may be lost */
  idleMs: 10 * MINUTE,
  /** While the batch waits for a command */
  restMs: DAY_MS,
  /** Time for the command that tries failed items again after the end */
  retryMs: MINUTE,
} as const;
