import { PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { PutGrant } from '../object-store.ts';
import type { S3Bucket } from './s3-bucket.ts';

/** Headers that a sender has to give as they were signed: the service refuses a file of another length or type. */
const BOUND_HEADERS = new Set(['host', 'content-type', 'content-length']);

/** An address that takes an object straight from a caller; the same grant gives the same address. */
export function signPut(
  { callers, bucket, nameOf }: S3Bucket,
  key: string,
  { size, type, signedAtMs, validMs }: PutGrant,
): Promise<string> {
  const put = new PutObjectCommand({ Bucket: bucket, Key: nameOf(key), ContentType: type, ContentLength: size });
  return getSignedUrl(callers, put, {
    signableHeaders: BOUND_HEADERS,
    signingDate: new Date(signedAtMs),
    expiresIn: Math.floor(validMs / 1000),
  });
}
