import { Failure } from '../domain/failures.ts';
import type { ObjectStore } from './object-store.ts';
import type { MarkerWatch } from './storage-marker.ts';

/**
 * Wraps a store, so that only storage with the marker of the instance takes writes, confirms deletions, and says that
 * an object does not exist. A lost mount is an empty folder, and another bucket answers 404 for everything.
 */
export function markedStorage(store: ObjectStore, marker: MarkerWatch): ObjectStore {
  /** Runs a write between a recent sight of the marker and a check that the folder is the same. */
  async function written<T>(write: () => Promise<T>): Promise<T> {
    const place = await marker.recent();
    try {
      const result = await write();
      await marker.unchanged(place);
      return result;
    } catch (error) {
      marker.forget();
      throw error;
    }
  }

  async function confirmed(remove: () => Promise<void>): Promise<void> {
    const place = await marker.recent();
    await remove();
    await sameAs(place);
  }

  /** Repeats a read that found nothing between two reads of the marker: only then the object does not exist. */
  async function proven<T>(read: () => Promise<T>): Promise<T> {
    const place = await marker.look();
    const result = await read().catch(async (error: unknown) => {
      if (isMissingObject(error)) await sameAs(place);
      throw error;
    });
    if (result === undefined) await sameAs(place);
    return result;
  }

  async function sameAs(place: Awaited<ReturnType<MarkerWatch['look']>>): Promise<void> {
    await marker.look();
    await marker.unchanged(place);
  }

  async function found<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (isMissingObject(error)) return await proven(read);
      throw error;
    }
  }

  const signPut = store.signPut?.bind(store);
  return {
    put: (key, body, options) => written(() => store.put(key, body, options)),
    putFile: (key, path) => written(() => store.putFile(key, path)),
    get: (key, range) => found(() => store.get(key, range)),
    head: async (key) => (await store.head(key)) ?? (await proven(() => store.head(key))),
    copy: (from, to, options) => written(() => found(() => store.copy(from, to, options))),
    delete: (key) => confirmed(() => store.delete(key)),
    deletePrefix: (prefix) => confirmed(() => store.deletePrefix(prefix)),
    async withLocalFile(key, fn) {
      // An error of `fn` says nothing about the object, so it must not reach `found`.
      const outcome = await found(() =>
        store.withLocalFile(key, async (path) => {
          const work = fn(path);
          await work.catch(() => undefined);
          return { work };
        }),
      );
      return await outcome.work;
    },
    sweepUnfinished: (olderThanMs) => store.sweepUnfinished(olderThanMs),
    ...(signPut === undefined ? {} : { signPut: (key, grant) => written(() => signPut(key, grant)) }),
  };
}

function isMissingObject(error: unknown): boolean {
  return error instanceof Failure && error.code === 'NOT_FOUND';
}
