import { bucketRemoved, type Bucket, type BucketCredentials } from '@burnish/contract';
import type { AccountBucket, OpenAccountBucket } from './s3/account-bucket.ts';

export interface RegisteredBuckets {
  /** Registered buckets of accounts, with their keys */
  buckets: {
    open(accountId: string, name: string): Promise<{ bucket: Bucket; credentials: BucketCredentials } | undefined>;
  };
  openBucket: OpenAccountBucket;
}

/**
 * Opens a bucket that the operator registered for an account. The caller closes it.
 * @throws Failure BUCKET_REFUSED when it is no longer registered; URL_NOT_ALLOWED, UNAVAILABLE
 */
export async function openRegisteredBucket(
  { buckets, openBucket }: RegisteredBuckets,
  accountId: string,
  name: string,
): Promise<AccountBucket> {
  const known = await buckets.open(accountId, name);
  if (known === undefined) throw bucketRemoved(name);
  return openBucket(known.bucket, known.credentials);
}
