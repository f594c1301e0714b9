import { isBucketKey, formatNumber, Failure } from '@burnish/contract';
import { startDeadline } from '../../process/deadline.ts';
import { openRegisteredBucket, type RegisteredBuckets } from '../../storage/open-registered-bucket.ts';
import type { ListedObjects } from '../../storage/s3/account-bucket.ts';

const LIMITS = {
  /** Objects that one call reads: ten times the items of a batch */
  objects: 1_000_000,
  /** Duration of a listing, in milliseconds */
  ms: 600_000,
};

/**
 * Lists the files of a registered bucket, up to 1,000 keys at a time, in the order of their bytes. Empty objects and
 * placeholders of folders are left out.
 * @throws Failure BUCKET_REFUSED; UNAVAILABLE; BAD_USER_INPUT for a key that no upload accepts, and beyond the limit
 */
export async function* listFiles(
  deps: RegisteredBuckets,
  accountId: string,
  { bucket: name, prefix }: { bucket: string; prefix: string },
  limits = LIMITS,
): AsyncGenerator<string[], void, undefined> {
  const bucket = await openRegisteredBucket(deps, accountId, name);
  const deadline = startDeadline(limits.ms);
  try {
    let after: string | null = null;
    for (let read = 0; ;) {
      const { objects, isLast }: ListedObjects = await bucket.list(prefix, after, deadline.signal);
      const keys = objects.filter(({ key, size }) => size > 0 && !key.endsWith('/')).map(({ key }) => key);
      keys.forEach(assertUsable);
      if (keys.length > 0) yield keys;
      read += objects.length;
      if (isLast) return;
      const last = objects.at(-1);
      // Some services ignore the position, and send the first page again.
      if (last === undefined || last.key === after) {
        const detail = `The bucket ${name} sent an incomplete list. Send the same request again.`;
        throw new Failure('UNAVAILABLE', { detail, machinery: 'bucket' });
      }
      if (read >= limits.objects) {
        const detail = `The bucket has more than ${formatNumber(limits.objects)} objects with this prefix. Choose a longer one.`;
        throw new Failure('BAD_USER_INPUT', { field: 'prefix', detail });
      }
      after = last.key;
    }
  } catch (error) {
    if (!deadline.signal.aborted) throw error;
    const detail = `The bucket ${name} answers too slowly. Send the same request again, or choose a longer prefix.`;
    throw new Failure('UNAVAILABLE', { detail, machinery: 'bucket', cause: error });
  } finally {
    deadline.clear();
    bucket.close();
  }
}

function assertUsable(key: string): void {
  if (isBucketKey(key)) return;
  const detail = `The bucket has the key ${JSON.stringify(key)}, which Burnish cannot read. Choose another prefix, or rename the object.`;
  throw new Failure('BAD_USER_INPUT', { field: 'prefix', detail });
}
