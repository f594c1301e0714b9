import { openFilesystemStore } from './filesystem/filesystem.ts';
import type { ObjectStore } from './object-store.ts';
import { StartupError } from '../domain/startup-error.ts';
import type { BucketSettings } from './s3/open-bucket.ts';

export interface StorageSettings extends BucketSettings {
  /** `file:./relative`, `file:/absolute`, `file:///absolute` or `s3://bucket/prefix` */
  storage: string;
}

/**
 * Opens the store of the settings.
 * @throws StartupError with one sentence for the operator; for a refused setting it shows only the scheme, since the
 * rest may contain a secret
 */
export async function openObjectStore(settings: StorageSettings): Promise<ObjectStore> {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(settings.storage)?.[0].toLowerCase() ?? '';
  const rest = settings.storage.slice(scheme.length);
  if (scheme === 'file:') return openFiles(rest, settings);
  if (scheme === 's3:') {
    // Loaded on demand: an instance with files needs neither the time nor the memory.
    const { openBucket } = await import('./s3/open-bucket.ts');
    return openBucket(rest, settings);
  }
  throw new StartupError(
    `Expected storage such as file:./objects or s3://bucket/prefix but received ${scheme === '' ? 'a text without a scheme' : `scheme ${scheme}`}.`,
  );
}

function openFiles(place: string, { reportDamage }: Pick<StorageSettings, 'reportDamage'>): Promise<ObjectStore> {
  const path = place.replace(/^\/\/(?=\/)/, '');
  if (path === '' || path.startsWith('//') || path.includes('\0')) {
    throw new StartupError(`Expected storage such as file:./objects but received file: without a local path.`);
  }
  return openFilesystemStore(path, reportDamage);
}
