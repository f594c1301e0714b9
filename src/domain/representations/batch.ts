import type { BatchItemState, BatchPauseReason, BatchPrediction, BatchStatus } from '../batch/batch.ts';
import type { BucketDestination } from '../enhancement/destination.ts';
import type { FailureCode } from '../failures.ts';
import type { ParametersRepresentation } from './parameters.ts';

/** Numbers of items by state; `items` is their sum. */
export interface BatchCountsRepresentation {
  items: number;
  pending: number;
  running: number;
  finished: number;
  failed: number;
  cancelled: number;
}

/** REST representation of a batch. Times are ISO 8601 in UTC with milliseconds. */
export interface BatchRepresentation {
  id: string;
  status: BatchStatus;
  /** Null unless the status is PAUSED */
  pauseReason: BatchPauseReason | null;
  reference: string | null;
  parameters: ParametersRepresentation;
  preset: string | null;
  /** Registered bucket of all results; null without one */
  destination: BucketDestination | null;
  /** Credits of all items together; null without a limit */
  maxCredits: number | null;
  samples: number;
  counts: BatchCountsRepresentation;
  chargedCredits: number;
  /** Null before the samples have ended, and for a batch without samples */
  prediction: BatchPrediction | null;
  /** Until the end, by the pace of the last items; null unless the batch is RUNNING and closed */
  remainingSeconds: number | null;
  createdAt: string;
  closedAt: string | null;
  approvedAt: string | null;
  finishedAt: string | null;
}

/** One line of a manifest: an input with its result, price or error code. */
export interface BatchItemRepresentation {
  /** With `bucket`: the name of the bucket, a slash and the key of the file */
  key: string;
  url: string | null;
  /** Registered bucket of the file; null for an address, and for an upload of the account */
  bucket: string | null;
  reference: string | null;
  state: BatchItemState;
  sample: boolean;
  uploadId: string | null;
  enhancementId: string | null;
  credits: number | null;
  errorCode: FailureCode | null;
  /** Signed URL of the result; null unless the state is FINISHED */
  resultUrl: string | null;
}

export interface AddedBatchItems {
  added: number;
  repeated: number;
}
