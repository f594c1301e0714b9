import { Failure } from '../failure.ts';
import type { BucketLocation } from './bucket-location.ts';

/** A bucket of an S3 service that the operator registered for an account. Its secret stays in the database. */
export interface Bucket extends BucketLocation {
  accountId: string;
  /** Name by which orders of the account refer to it */
  name: string;
  endpoint: string;
  region: string;
  createdAt: string;
}

export interface BucketCredentials {
  accessKeyId: string;
  secretAccessKey: string;
}

export const MAX_BUCKETS = 10;

/** 1 to 60 small letters, digits and hyphens, with a letter first */
export const BUCKET_NAME = /^[a-z][a-z0-9-]{0,59}$/;

/** Maximum length of the key of an object in bytes of UTF-8, as S3 has it */
export const MAX_BUCKET_KEY_BYTES = 1024;

/** The URL of a bucket as the operator gives it. */
export const bucketUrl = ({ bucket, prefix }: BucketLocation): string =>
  `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;

/** The bucket of accepted work is no longer registered. */
export const bucketRemoved = (name: string): Failure =>
  new Failure('BUCKET_REFUSED', { detail: `The operator has removed the bucket ${name}.` });

/** End of a sentence about a text that is no key */
export const BUCKET_KEY_FAULT = 'expected a key without a leading slash, . and ..';

/** Whether a text is a key below the prefix of a bucket: not empty, without a leading slash and without `.` and `..`. */
export function isBucketKey(key: string): boolean {
  const parts = key.split('/');
  return (
    key !== '' &&
    !key.startsWith('/') &&
    !/[\p{Cc}\p{Surrogate}]/u.test(key) &&
    new TextEncoder().encode(key).byteLength <= MAX_BUCKET_KEY_BYTES &&
    !parts.some((part) => part === '.' || part === '..')
  );
}
