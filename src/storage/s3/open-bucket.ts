import { StartupError } from '../../domain/startup-error.ts';
import type { ObjectStore } from '../object-store.ts';
import { openS3Store } from './s3.ts';
import { describeBucket } from './s3-bucket.ts';
import { createS3Clients, type S3Settings } from './s3-client.ts';

export interface BucketSettings {
  s3: S3Settings;
  scratchDir: string;
  environment: NodeJS.ProcessEnv;
}

/** Bucket names permitted by services, https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const S3_PLACE = /^\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]{0,200}))?$/;

/**
 * Opens the store of a bucket.
 * @param place the setting after `s3:`
 * @throws StartupError with one sentence for the operator
 */
export function openBucket(place: string, { s3, scratchDir, environment }: BucketSettings): Promise<ObjectStore> {
  const [, bucket, prefix = ''] = S3_PLACE.exec(place) ?? [];
  if (bucket === undefined || prefix.split('/').some((part) => part === '.' || part === '..')) {
    throw new StartupError(
      'Expected storage such as s3://bucket/prefix but received s3: without a bucket and a plain prefix.',
    );
  }
  const clients = createS3Clients(s3, environment);
  return openS3Store(describeBucket(clients, bucket, prefix.replace(/^\/+|\/+$/g, '')), scratchDir);
}
