import { parseBucketLocation } from '@burnish/contract';
import { StartupError } from '../../domain/startup-error.ts';
import type { ReportDamage } from '../integrity.ts';
import type { ObjectStore } from '../object-store.ts';
import { openS3Store } from './s3.ts';
import { describeBucket } from './s3-bucket.ts';
import { createS3Clients, type S3Settings } from './s3-client.ts';

export interface BucketSettings {
  s3: S3Settings;
  scratchDir: string;
  environment: NodeJS.ProcessEnv;
  /** Receives objects with other bytes than those of their records */
  reportDamage?: ReportDamage | undefined;
}

/**
 * Opens the store of a bucket.
 * @param place the setting after `s3:`
 * @throws StartupError with one sentence for the operator
 */
export function openBucket(
  place: string,
  { s3, scratchDir, environment, reportDamage }: BucketSettings,
): Promise<ObjectStore> {
  const parsed = parseBucketLocation(place);
  if (parsed === undefined) {
    throw new StartupError(
      'Expected storage such as s3://bucket/prefix but received s3: without a bucket and a plain prefix.',
    );
  }
  const clients = createS3Clients(s3, environment);
  return openS3Store(describeBucket(clients, parsed.bucket, parsed.prefix), scratchDir, reportDamage);
}
