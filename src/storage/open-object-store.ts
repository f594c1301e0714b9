import { openFilesystemStore } from './filesystem/filesystem.ts';
import type { ObjectStore } from './object-store.ts';
import { StartupError } from '../domain/startup-error.ts';
import { openS3Store } from './s3/s3.ts';
import { describeBucket } from './s3/s3-bucket.ts';
import { createS3Clients, type S3Settings } from './s3/s3-client.ts';

export interface StorageSettings {
  /** `file:./relative`, `file:/absolute`, `file:///absolute` or `s3://bucket/prefix` */
  storage: string;
  s3: S3Settings;
  /** Folder for files in transfer to and from a storage service */
  scratchDir: string;
  /** `AWS_*` */
  environment: NodeJS.ProcessEnv;
}

/** Bucket names permitted by services, https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const S3_PLACE = /^\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]{0,200}))?$/;

/**
 * Opens the store of the settings.
 * @throws StartupError with one sentence for the operator; for a refused setting it shows only the scheme, since the
 * rest may contain a secret
 */
export async function openObjectStore(settings: StorageSettings): Promise<ObjectStore> {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(settings.storage)?.[0].toLowerCase() ?? '';
  const rest = settings.storage.slice(scheme.length);
  if (scheme === 'file:') return openFiles(rest);
  if (scheme === 's3:') return openBucket(rest, settings);
  throw new StartupError(
    `Expected storage such as file:./objects or s3://bucket/prefix but received ${scheme === '' ? 'a text without a scheme' : `scheme ${scheme}`}.`,
  );
}

function openFiles(place: string): Promise<ObjectStore> {
  const path = place.replace(/^\/\/(?=\/)/, '');
  if (path === '' || path.startsWith('//') || path.includes('\0')) {
    throw new StartupError(`Expected storage such as file:./objects but received file: without a local path.`);
  }
  return openFilesystemStore(path);
}

function openBucket(place: string, { s3, scratchDir, environment }: StorageSettings): Promise<ObjectStore> {
  const [, bucket, prefix = ''] = S3_PLACE.exec(place) ?? [];
  if (bucket === undefined || prefix.split('/').some((part) => part === '.' || part === '..')) {
    throw new StartupError(
      'Expected storage such as s3://bucket/prefix but received s3: without a bucket and a plain prefix.',
    );
  }
  const clients = createS3Clients(s3, environment);
  return openS3Store(describeBucket(clients, bucket, prefix.replace(/^\/+|\/+$/g, '')), scratchDir);
}
