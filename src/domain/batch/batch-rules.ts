import {
  droppedPages,
  Failure,
  orderName,
  type Account,
  type Plan,
  type BucketDestination,
  type EnhancementParameters,
  type Batch,
  type BatchCounts,
  type CountedBatch,
  type BatchItem,
  countEnded,
} from '@burnish/contract';

/** Items that one command to retry names. */
export const MAX_RETRIED_KEYS = 50;
/** Characters of the longest key: a URL with the digest of its query. */
export const MAX_SHOWN_KEY_LENGTH = 2_100;

/**
 * Rejects an order that drops pages: each such result needs an approval by itself, and a batch approves its items.
 * @throws Failure BAD_USER_INPUT
 */
export function assertDropsNoPages({ pages }: EnhancementParameters): void {
  if (droppedPages(pages).length === 0) return;
  const detail = 'A batch drops no pages. Remove DROP from pdf.pages, and order such files one by one.';
  throw new Failure('BAD_USER_INPUT', { field: orderName('pages'), detail });
}

/** Items of one batch that run at the same time, for each unit of the weight of its account's plan, and at most. */
const WINDOW = { ofWeight: 12, most: 50 } as const;

/** @param fairnessWeight of the account's plan */
export const batchWindow = (fairnessWeight: number): number => Math.min(WINDOW.most, WINDOW.ofWeight * fairnessWeight);

/** The part of a record that the workflow of its batch owns. */
export function withoutCounts(batch: CountedBatch): Batch {
  const {
    items: _,
    running: _1,
    finished: _2,
    failed: _3,
    cancelled: _4,
    chargedCredits: _5,
    pace: _6,
    ...own
  } = batch;
  return own;
}

/** Whose items a batch starts. */
export interface BatchOwner {
  account: Account;
  plan: Plan;
  /** The API key that created the batch; null: unknown */
  keyId: string | null;
}

/** The order of one item. */
export interface ItemOrder {
  item: BatchItem & { batchId: string };
  parameters: EnhancementParameters;
  /** Preset with its version, whose parameters are applied */
  preset: string | null;
  destination: BucketDestination | null;
  /** Credits; a higher estimate waits for the decision of the batch. Null: no decision */
  maxCredits: number | null;
}

export type NewBatchItem = Pick<BatchItem, 'key' | 'url' | 'bucket' | 'reference' | 'uploadId'>;

/** The item of a file in a registered bucket. @param objectKey below the prefix of the bucket */
export function bucketItem(bucket: string, objectKey: string, reference: string | null): NewBatchItem {
  return { key: `${bucket}/${objectKey}`, url: null, bucket, uploadId: null, reference };
}

/** The key of an item's file in its bucket. */
export const toObjectKey = (bucket: string, { key }: Pick<BatchItem, 'key'>): string => key.slice(bucket.length + 1);

/** Share of failed items, after enough items have ended, that receivers get an event about. */
const TROUBLE = { failed: 10, share: 0.2 };

export const hasManyFailures = (counts: BatchCounts): boolean =>
  counts.failed >= TROUBLE.failed && counts.failed > TROUBLE.share * countEnded(counts);

/** The status of a batch that neither waits nor has ended. */
export function activeStatus({ samples, approvedAt, closedAt }: Batch): 'COLLECTING' | 'SAMPLING' | 'RUNNING' {
  if (samples === 0 || approvedAt !== null) return 'RUNNING';
  return closedAt === null ? 'COLLECTING' : 'SAMPLING';
}

export type BatchTerms = Pick<
  Batch,
  'id' | 'accountId' | 'parameters' | 'preset' | 'destination' | 'maxCredits' | 'samples' | 'reference'
>;

/** A new batch. @param at ISO 8601 */
export function initialBatch(given: BatchTerms, at: string): Batch {
  return {
    ...given,
    revision: 0,
    status: given.samples === 0 ? 'RUNNING' : 'COLLECTING',
    pauseReason: null,
    prediction: null,
    round: 0,
    halfReported: false,
    troubleReported: false,
    createdAt: at,
    closedAt: null,
    approvedAt: null,
    finishedAt: null,
  };
}
