import { text } from 'node:stream/consumers';
import { Failure } from '@burnish/contract';
import type { ObjectStore } from './object-store.ts';
import { StorageTrouble } from './storage-trouble.ts';

/** Object that shows which instance the storage belongs to. No account has this prefix. */
export const MARKER_KEY = 'instance/marker';
/** Object with a time: storage has no file of an upload that was deleted before it. */
export const CHECKPOINT_KEY = 'instance/checkpoint';
/** Maximum size of a marker or a checkpoint in bytes; anything longer is none. */
const MARKER_BYTES = 100;
/** Time in milliseconds for which a sight of the marker permits further writes. */
const SIGHT_MS = 1_000;

/** Interval in milliseconds at which the expected id is read again: an operator may have accepted other storage. */
const EXPECTED_MS = 60_000;

/** Storage that does not carry the marker of this instance, whatever it says about single objects. */
export class StorageUnmarked extends StorageTrouble {
  /** Sentence for the operator */
  readonly problem: string;

  constructor(problem: string) {
    super(problem);
    this.problem = problem;
  }
}

const NONE = 'Storage carries no marker of this instance: it is not mounted, is empty, or is another one.';
const OTHER = 'Storage carries the marker of another instance.';
const CHANGED = 'Storage was replaced during the work.';

type MarkedStore = Pick<ObjectStore, 'get' | 'place'>;

/** Identity of the folder that holds the objects; undefined for a service. */
type Place = string | undefined;

/** Reads the marker, or the checkpoint; undefined when there is none. @throws the error of storage */
export async function readMarker(store: Pick<ObjectStore, 'get'>, key = MARKER_KEY): Promise<string | undefined> {
  try {
    return (await text(await store.get(key, { start: 0, end: MARKER_BYTES - 1 }))).trim();
  } catch (error) {
    if (error instanceof Failure && (error.code === 'NOT_FOUND' || error.code === 'BAD_USER_INPUT')) return undefined;
    throw error;
  }
}

/** Writes the marker, also over that of another instance, or the checkpoint. */
export async function writeMarker(store: Pick<ObjectStore, 'put'>, content: string, key = MARKER_KEY): Promise<void> {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${content}\n`);
  }
  await store.put(key, body(), { maxBytes: MARKER_BYTES });
}

/** Says whether storage is that of this instance. Every method throws StorageUnmarked, or the error of storage. */
export interface MarkerWatch {
  /** Confirms a sight of the marker within the last second, or reads the marker. */
  recent(): Promise<Place>;
  /** Reads the marker, by a read that begins after the call. Concurrent calls share reads. */
  look(): Promise<Place>;
  unchanged(place: Place): Promise<void>;
  /** Makes the next `recent` read the marker. */
  forget(): void;
}

export interface MarkerWatchDeps {
  store: MarkedStore;
  /** The id in the database; another process may replace it */
  expectedId: () => Promise<string>;
  /** Milliseconds of a monotonic clock */
  now?: () => number;
}

export function watchMarker({ store, expectedId, now = () => performance.now() }: MarkerWatchDeps): MarkerWatch {
  let expected: { id: string; atMs: number } | undefined;
  let sight: { place: Place; atMs: number } | undefined;
  let running: Promise<Place> | undefined;
  let next: Promise<Place> | undefined;

  const readPlace = async (): Promise<Place> => await store.place?.();

  async function read(): Promise<Place> {
    sight = undefined;
    const place = await readPlace();
    const found = await readMarker(store);
    if (found === undefined) throw new StorageUnmarked(NONE);
    if (!(await isExpected(found))) throw new StorageUnmarked(OTHER);
    await unchanged(place);
    sight = { place, atMs: now() };
    return place;
  }

  async function isExpected(found: string): Promise<boolean> {
    const isKnown = expected?.id === found;
    if (isKnown && now() - expected!.atMs < EXPECTED_MS) return true;
    try {
      expected = { id: await expectedId(), atMs: now() };
    } catch (error) {
      // An outage of the database must not become one of storage.
      if (!isKnown) throw error;
    }
    return expected?.id === found;
  }

  function begin(): Promise<Place> {
    running = read().finally(() => (running = undefined));
    return running;
  }

  function look(): Promise<Place> {
    if (running === undefined) return begin();
    // The running read began before this call, so it proves nothing about what the caller has seen.
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  }

  async function unchanged(place: Place): Promise<void> {
    if ((await readPlace()) === place) return;
    sight = undefined;
    throw new StorageUnmarked(CHANGED);
  }

  return {
    async recent() {
      const last = sight;
      if (last === undefined || now() - last.atMs >= SIGHT_MS) return look();
      return (await readPlace()) === last.place ? last.place : look();
    },
    look,
    unchanged,
    forget: () => (sight = undefined),
  };
}

/**
 * Wraps a store, so that only storage with the marker of the instance takes writes, confirms deletions, and says that
 * an object does not exist. A lost mount is an empty folder, and another bucket answers 404 for everything.
 */
export function markedStorage(store: ObjectStore, marker: MarkerWatch): ObjectStore {
  /**
   * Runs a write between a recent sight of the marker and a check that storage is the same. A service has no folder to compare, so its
   * marker is read again: it may have vanished after the sight.
   */
  async function written<T>(write: () => Promise<T>): Promise<T> {
    const place = await marker.recent();
    try {
      const result = await write();
      await (place === undefined ? marker.look() : marker.unchanged(place));
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
    get: (key, range, expected) => found(() => store.get(key, range, expected)),
    head: async (key) => (await store.head(key)) ?? (await proven(() => store.head(key))),
    copy: (from, to, options) => written(() => found(() => store.copy(from, to, options))),
    delete: (key) => confirmed(() => store.delete(key)),
    deletePrefix: (prefix) => confirmed(() => store.deletePrefix(prefix)),
    async withLocalFile(key, fn, expected) {
      // An error of `fn` says nothing about the object, so it must not reach `found`.
      const outcome = await found(() =>
        store.withLocalFile(
          key,
          async (path) => {
            const work = fn(path);
            await work.catch(() => undefined);
            return { work };
          },
          expected,
        ),
      );
      return await outcome.work;
    },
    sweepUnfinished: (olderThanMs) => store.sweepUnfinished(olderThanMs),
    ...(signPut === undefined
      ? {}
      : {
          signPut: async (key, grant) => {
            await marker.recent();
            return await signPut(key, grant);
          },
        }),
  };
}

function isMissingObject(error: unknown): boolean {
  return error instanceof Failure && error.code === 'NOT_FOUND';
}
