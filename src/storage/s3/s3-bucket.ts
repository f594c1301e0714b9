import { HeadBucketCommand, S3ServiceException } from '@aws-sdk/client-s3';
import { StartupError } from '../../domain/startup-error.ts';
import { assertObjectKey } from '../../domain/files/object-keys.ts';
import type { S3Clients } from './s3-client.ts';

/** The HTTP status of the service's response; undefined without a response. */
export function readStatus(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

/** Whether an object does not exist. A missing bucket is a storage failure, not a statement about an object. */
function isAbsent(error: unknown): boolean {
  return error instanceof S3ServiceException && readStatus(error) === 404 && error.name !== 'NoSuchBucket';
}

/** Converts the error of a missing object to `undefined`. */
export async function orAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

export interface S3Bucket extends S3Clients {
  bucket: string;
  toObjectName(key: string): string;
  namesBelow(prefix: string): string;
  prefix: string;
}

/**
 * Names end in a dot and a word, unlike any key. The objects of keys `a/b` and `a/b/c` can thus coexist even on
 * services that store objects as files.
 * @param prefix without a slash at either end; may be empty
 */
export function describeBucket(clients: S3Clients, bucket: string, prefix: string): S3Bucket {
  const start = prefix === '' ? '' : `${prefix}/`;
  const checked = (key: string): string => {
    assertObjectKey(key);
    return `${start}${key}`;
  };
  return {
    ...clients,
    bucket,
    prefix: start,
    toObjectName: (key) => `${checked(key)}.object`,
    namesBelow: (key) => `${checked(key)}/`,
  };
}

/** @throws StartupError in one sentence for an unusable bucket */
export async function assertReachable({ own, bucket }: S3Bucket): Promise<void> {
  try {
    await own.send(new HeadBucketCommand({ Bucket: bucket }));
  } catch (cause) {
    throw new StartupError(`Storage s3://${bucket} cannot be used: ${describeReason(cause)}.`, { cause });
  }
}

const REASONS: Record<number, string> = {
  301: 'the bucket is in another region; check AWS_REGION',
  404: 'the bucket does not exist',
};

function describeReason(error: unknown): string {
  const status = readStatus(error);
  const reason = status === undefined ? undefined : REASONS[status];
  if (reason !== undefined) return reason;
  if (status !== undefined && status >= 400 && status < 500) {
    return 'access is refused; check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION';
  }
  if (error instanceof Error && error.name === 'CredentialsProviderError') {
    return 'there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine a role';
  }
  if (error instanceof Error && /region is missing/i.test(error.message)) return 'AWS_REGION is not set';
  return 'the service does not respond; check AWS_ENDPOINT_URL_S3';
}
