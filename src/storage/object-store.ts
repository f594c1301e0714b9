import type { Readable } from 'node:stream';

/** Facts of an object that is wholly there. */
export interface StoredObject {
  key: string;
  /** Bytes */
  size: number;
  /** Hex SHA-256 of the bytes */
  sha256: string;
}

export interface PutOptions {
  /** The most bytes that the body may have, included. */
  maxBytes: number;
  signal?: AbortSignal;
}

/** What an address for a caller's own PUT is bound to. */
export interface PutGrant {
  /** Bytes that the object has to have */
  size: number;
  /** The `Content-Type` that the caller has to send */
  type: string;
  /** Milliseconds since the epoch */
  signedAtMs: number;
  /** Milliseconds from then until the address expires */
  validMs: number;
}

/**
 * Where files live. An object is either wholly there or not there at all, and its bytes never change: a new
 * put under the same key takes the old object's place. Keys are those of `domain/files/object-keys.ts`; every method
 * throws an Error on a key that breaks its grammar.
 */
export interface ObjectStore {
  /**
   * Streams a body in with flat memory; once it returns, the object outlives a power failure.
   * @throws Failure FILE_TOO_LARGE above `maxBytes`; Failure UNAVAILABLE when the disk is full; the body's own
   *   error; the reason of `signal` when it is aborted. Nothing is left behind, and an older object stays.
   */
  put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredObject>;
  /** Moves a finished local file in: after it returns, the file at `path` is gone. */
  putFile(key: string, path: string): Promise<StoredObject>;
  /**
   * The bytes of an object, or of a range of it; `end` is included and may lie beyond the last byte.
   * The caller reads the stream to its end or destroys it.
   * @throws Failure NOT_FOUND; Failure BAD_USER_INPUT when the range starts beyond the last byte
   */
  get(key: string, range?: { start: number; end: number }): Promise<Readable>;
  /** The facts of an object, without reading it; undefined when there is none. */
  head(key: string): Promise<StoredObject | undefined>;
  /**
   * @param options.verify the hash is worked out from the bytes that are copied, whatever is noted of them: for an object that
   *   somebody else has written
   * @throws Failure NOT_FOUND when there is no object under `from`
   */
  copy(from: string, to: string, options?: { verify?: boolean }): Promise<StoredObject>;
  /** Removes an object; a no-op when there is none. */
  delete(key: string): Promise<void>;
  /** Removes every object whose key starts with `prefix` and a slash; a no-op when there is none. */
  deletePrefix(prefix: string): Promise<void>;
  /**
   * Runs `fn` with a local path that holds the object's bytes for as long as `fn` runs. `fn` only reads it. Callers that ask for the same
   * object at the same time or soon after share the fetched copy.
   * @throws Failure NOT_FOUND
   */
  withLocalFile<T>(key: string, fn: (path: string) => Promise<T>): Promise<T>;
  /**
   * The address at which a caller may put one object straight into storage, again and again until it expires: what lies under
   * such a key may change. Absent where bytes can only come through us. The same grant gives the same address.
   */
  signPut?(key: string, grant: PutGrant): Promise<string>;
  /**
   * Removes partial writes of processes that died. No reader could ever see them.
   * @param olderThanMs longer than any write takes
   * @returns how much was found
   */
  sweepUnfinished(olderThanMs: number): Promise<number>;
}
