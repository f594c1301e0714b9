import type { SafeFetch } from '../net/safe-fetch.ts';
import type { OpenAccountBucket } from '../storage/s3/account-bucket.ts';

/** Opens buckets of accounts, over connections that follow the address rules. */
export function accountBucketOpener({ checkConnection }: Pick<SafeFetch, 'checkConnection'>): OpenAccountBucket {
  return async (bucket, credentials) => {
    const lookup = await checkConnection(bucket.endpoint);
    // Loaded on demand: an instance without buckets needs neither the time nor the memory.
    const { openAccountBucket } = await import('../storage/s3/account-bucket.ts');
    return openAccountBucket({ ...bucket, lookup }, credentials);
  };
}
