import { Failure } from '@burnish/contract';
import type { ObjectStore } from './object-store.ts';

/** An error of storage itself, not of a caller's body or of one object. */
export class StorageTrouble extends Error {
  override readonly name = 'StorageTrouble';
  /** See `failedMachinery` */
  readonly machinery = 'storage';
}

/**
 * Wraps a store and marks its own errors, to distinguish them from those of the database and of callers. Errors of a
 * body, of work on a local file, and of a full disk are unchanged.
 */
export function namedStorage(store: ObjectStore): ObjectStore {
  const named =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        return await work(...args);
      } catch (error) {
        throw asTrouble(error);
      }
    };
  const signPut = store.signPut?.bind(store);
  const place = store.place?.bind(store);
  return {
    put: async (key, body, options) => {
      const theirs = new Set<unknown>();
      try {
        return await store.put(key, remembering(body, theirs), options);
      } catch (error) {
        if (theirs.has(error) || (options.signal?.aborted === true && options.signal.reason === error)) throw error;
        throw asTrouble(error);
      }
    },
    putFile: named((key, path) => store.putFile(key, path)),
    get: named((key, range, expected) => store.get(key, range, expected)),
    head: named((key) => store.head(key)),
    copy: named((from, to, options) => store.copy(from, to, options)),
    delete: named((key) => store.delete(key)),
    deletePrefix: named((prefix) => store.deletePrefix(prefix)),
    async withLocalFile(key, fn, expected) {
      const theirs = new Set<unknown>();
      const use = async (path: string) => {
        try {
          return await fn(path);
        } catch (error) {
          theirs.add(error);
          throw error;
        }
      };
      try {
        return await store.withLocalFile(key, use, expected);
      } catch (error) {
        throw theirs.has(error) ? error : asTrouble(error);
      }
    },
    sweepUnfinished: named((olderThanMs) => store.sweepUnfinished(olderThanMs)),
    ...(signPut === undefined ? {} : { signPut }),
    ...(place === undefined ? {} : { place: named(place) }),
  };
}

function asTrouble(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Failure) return error;
  const isOfStorage = 'code' in error || '$metadata' in error || error.name === 'TimeoutError';
  return isOfStorage ? new StorageTrouble('Storage failed.', { cause: error }) : error;
}

async function* remembering(
  body: AsyncIterable<Uint8Array>,
  errors: Set<unknown>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    errors.add(error);
    throw error;
  }
}
