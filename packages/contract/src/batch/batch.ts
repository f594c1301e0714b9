import type { BucketDestination } from '../enhancement/destination.ts';
import type { EnhancementParameters } from '../engine/parameters.ts';
import type { FailureCode } from '../failures.ts';

/**
 * Statuses of a batch. With samples: COLLECTING → SAMPLING → APPROVAL_NEEDED → RUNNING → FINISHED. Without: RUNNING →
 * FINISHED.
 */
export const BATCH_STATUSES = [
  'COLLECTING',
  'SAMPLING',
  'APPROVAL_NEEDED',
  'RUNNING',
  'PAUSED',
  'CANCELLING',
  'CANCELLED',
  'FINISHED',
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

/** Reasons of a pause: the caller, the `maxCredits` of the batch, or too few credits of the account. */
export type BatchPauseReason = 'request' | 'budget' | 'credits';

const BATCH_ITEM_STATES = ['PENDING', 'RUNNING', 'FINISHED', 'FAILED', 'CANCELLED'] as const;
export type BatchItemState = (typeof BATCH_ITEM_STATES)[number];

export const BATCH_LIMITS = {
  /** Items of one batch */
  items: 100_000,
  /** Batches of one account that have not ended */
  open: 20,
  /** Samples of one batch */
  samples: 100,
} as const;

export const DEFAULT_SAMPLES = 20;

/** Prediction from the samples for all items of the batch. */
export interface BatchPrediction {
  /** Credits of the whole batch, with those of the samples */
  credits: number;
  /** Seconds from the approval to the end */
  seconds: number;
  /** Items of the whole batch that fail, with failed samples */
  failures: number;
}

/** The state of a batch that its workflow owns. */
export interface Batch {
  id: string;
  accountId: string;
  revision: number;
  status: BatchStatus;
  /** Null unless the status is PAUSED */
  pauseReason: BatchPauseReason | null;
  reference: string | null;
  /** Of each item */
  parameters: EnhancementParameters;
  /** Preset with its version, such as `web@3`; null without one */
  preset: string | null;
  /** Registered bucket of all results, with the template of their keys; null without one */
  destination: BucketDestination | null;
  /** Credits of the whole batch; null: without a limit */
  maxCredits: number | null;
  /** Number of items that run before the approval; 0: the batch needs no approval */
  samples: number;
  prediction: BatchPrediction | null;
  /** The number of retries, which separates the events of each of them */
  round: number;
  halfReported: boolean;
  troubleReported: boolean;
  createdAt: string;
  closedAt: string | null;
  approvedAt: string | null;
  finishedAt: string | null;
}

/** Numbers of items by state, and the charged credits. The database changes them together with the items. */
export interface BatchCounts {
  items: number;
  running: number;
  finished: number;
  failed: number;
  cancelled: number;
  chargedCredits: number;
}

/** The pace of a running batch: the last items that ended, without samples. */
export interface BatchPace {
  /** Number of items that ended within `seconds` */
  items: number;
  seconds: number;
}

export interface CountedBatch extends Batch, BatchCounts {
  /** Absent unless the batch runs */
  pace?: BatchPace;
}

/** One input of a batch. */
export interface BatchItem {
  /** From 0, in the order of the requests */
  position: number;
  /** Unique in its batch; with `bucket`, the name of the bucket, a slash and the key of the file */
  key: string;
  /** URL of the file; null without one */
  url: string | null;
  /** Registered bucket of the file; absent or null for a URL, and for an upload of the account */
  bucket?: string | null;
  reference: string | null;
  sample: boolean;
  state: BatchItemState;
  /** Number of earlier attempts */
  attempt: number;
  uploadId: string | null;
  enhancementId: string | null;
  credits: number | null;
  errorCode: FailureCode | null;
}

export const countEnded = ({ finished, failed, cancelled }: BatchCounts): number => finished + failed + cancelled;

export const countPending = (counts: BatchCounts): number => counts.items - counts.running - countEnded(counts);

export function hasEnded({ status }: Pick<Batch, 'status'>): boolean {
  return status === 'FINISHED' || status === 'CANCELLED';
}
