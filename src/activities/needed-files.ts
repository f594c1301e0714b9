import type { Readable } from 'node:stream';
import { Failure, type FailureCode } from '../domain/failures.ts';
import type { ObjectStore } from '../storage/object-store.ts';

type Files = Pick<ObjectStore, 'withLocalFile'>;

/**
 * Runs work with a local path to the original of an upload.
 * @throws Failure ORIGINAL_MISSING when storage is there and the original is gone
 */
export const withOriginal = <T>(
  store: Files,
  { objectKey }: { objectKey: string },
  use: (path: string) => Promise<T>,
): Promise<T> => withNeeded(store, objectKey, 'ORIGINAL_MISSING', use);

/**
 * Runs work with a local path to an intermediate file of a result.
 * @throws Failure INTERNAL when storage is there and the file is gone: the file of the caller is not at fault
 */
export const withWorkFile = <T>(store: Files, key: string, use: (path: string) => Promise<T>): Promise<T> =>
  withNeeded(store, key, 'INTERNAL', use);

async function withNeeded<T>(
  store: Files,
  key: string,
  missing: FailureCode,
  use: (path: string) => Promise<T>,
): Promise<T> {
  let isThere = false;
  try {
    return await store.withLocalFile(key, (path) => {
      isThere = true;
      return use(path);
    });
  } catch (error) {
    if (isThere) throw error;
    throw missingAs(missing, error);
  }
}

/** The bytes of an object. @throws Failure with the code `missing` when storage is there and the object is gone */
export const openNeeded = (store: Pick<ObjectStore, 'get'>, key: string, missing: FailureCode): Promise<Readable> =>
  store.get(key).catch((error: unknown) => {
    throw missingAs(missing, error);
  });

/** Converts the failure of a missing object; returns every other error unchanged. */
function missingAs(code: FailureCode, error: unknown): unknown {
  return error instanceof Failure && error.code === 'NOT_FOUND' ? new Failure(code, { cause: error }) : error;
}
