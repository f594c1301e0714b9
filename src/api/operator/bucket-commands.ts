import {
  BUCKET_NAME,
  type Bucket,
  type BucketCredentials,
  bucketUrl,
  OPERATOR,
  type AuditActor,
  Failure,
  parseBucketLocation,
  isId,
} from '@burnish/contract';
import type { BucketRepresentation } from './bucket-schemas.ts';
import type { OpenAccountBucket } from '../../storage/s3/account-bucket.ts';
import { changeByOperator } from './change-by-operator.ts';
import { noAccount } from './account-commands.ts';
import type { Accounts } from '../../database/accounts/accounts.ts';
import type { Buckets } from '../../database/accounts/buckets.ts';
import type { AccountChanges } from '../../database/accounts/account-changes.ts';

export interface BucketOrder extends BucketCredentials {
  name: string;
  /** `s3://bucket/prefix` */
  url: string;
  /** Absent: AWS in the region */
  endpoint?: string | undefined;
  region: string;
}

export interface BucketCommandsDeps {
  accounts: Accounts;
  buckets: Buckets;
  accountChanges: AccountChanges;
  openBucket: OpenAccountBucket;
}

/** Commands of the operator about buckets of accounts. @param by the actor of the audit entry */
export function createBucketCommands({ accounts, buckets, accountChanges, openBucket }: BucketCommandsDeps) {
  async function assertAccount(id: string): Promise<void> {
    const account = isId('acc', id) ? await accounts.get(id) : undefined;
    if (account === undefined || account.deletedAt !== null) throw noAccount(id);
  }

  return {
    /**
     * Registers a bucket, after a probe object was written, read and deleted.
     * @throws Failure BAD_USER_INPUT, NOT_FOUND, URL_NOT_ALLOWED, BUCKET_REFUSED, UNAVAILABLE
     */
    async createBucket(
      accountId: string,
      { accessKeyId, secretAccessKey, ...order }: BucketOrder,
      by: AuditActor = OPERATOR,
    ): Promise<BucketRepresentation> {
      await assertAccount(accountId);
      const bucket = { accountId, ...toBucket(order) };
      const credentials = { accessKeyId, secretAccessKey };
      await buckets.assertRoom(accountId, bucket.name);
      await probe(openBucket, { ...bucket, createdAt: '' }, credentials);
      const made = await changeByOperator({ accountChanges }, by, async (records) => {
        const value = await records.buckets.create(bucket, credentials);
        const details = { url: bucketUrl(bucket), endpoint: bucket.endpoint };
        return { accountId, action: 'bucket.create', subjectId: bucket.name, details, value };
      });
      return represent(made);
    },

    /** The buckets of an account by name, without their keys. @throws Failure NOT_FOUND */
    async listBuckets(accountId: string): Promise<BucketRepresentation[]> {
      await assertAccount(accountId);
      return (await buckets.list(accountId)).map(represent);
    },

    /** Removes a bucket with its keys. Its objects remain. @throws Failure NOT_FOUND */
    async deleteBucket(accountId: string, name: string, by: AuditActor = OPERATOR): Promise<void> {
      await assertAccount(accountId);
      await changeByOperator({ accountChanges }, by, async (records) => {
        if (!(await records.buckets.remove(accountId, name))) {
          const detail = `The account has no bucket ${name.slice(0, 60)}. List the buckets to find the name.`;
          throw new Failure('NOT_FOUND', { detail });
        }
        return { accountId, action: 'bucket.delete', subjectId: name, value: null };
      });
    },
  };
}

async function probe(open: OpenAccountBucket, bucket: Bucket, credentials: BucketCredentials): Promise<void> {
  const opened = await open(bucket, credentials);
  try {
    await opened.probe();
  } finally {
    opened.close();
  }
}

function toBucket({ name, url, endpoint, region }: Omit<BucketOrder, keyof BucketCredentials>) {
  if (!BUCKET_NAME.test(name)) {
    const detail = 'The name of a bucket has 1 to 60 small letters, digits and hyphens. It starts with a letter.';
    throw new Failure('BAD_USER_INPUT', { field: 'name', detail });
  }
  const place = url.startsWith('s3:') ? parseBucketLocation(url.slice(3)) : undefined;
  if (place === undefined) {
    const detail =
      'The URL of the bucket is not valid. Send s3://bucket or s3://bucket/prefix, without . and .. in the prefix.';
    throw new Failure('BAD_USER_INPUT', { field: 'url', detail });
  }
  const { username = '', password = '', search = '', hash = '' } = endpoint === undefined ? {} : new URL(endpoint);
  if (`${username}${password}${search}${hash}` !== '') {
    const detail = 'Expected an address without a user, a query and a fragment. Send the keys in their own fields.';
    throw new Failure('BAD_USER_INPUT', { field: 'endpoint', detail });
  }
  return { name, ...place, region, endpoint: endpoint ?? `https://s3.${region}.amazonaws.com` };
}

const represent = ({ name, endpoint, region, createdAt, ...place }: Bucket): BucketRepresentation => ({
  name,
  url: bucketUrl(place),
  endpoint,
  region,
  createdAt,
});
