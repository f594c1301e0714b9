import type { Readable } from 'node:stream';
import type { ExpectedBytes } from './integrity.ts';

export interface StoredObject {
  key: string;
  /** Bytes */
  size: number;
  /** Hex SHA-256 of the bytes */
  sha256: string;
}

export interface PutOptions {
  /** Maximum size of the body in bytes, inclusive. */
  maxBytes: number;
  signal?: AbortSignal;
}

/** Offsets of the first and of the last byte. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface CopyOptions {
  verify?: boolean;
  expected?: ExpectedBytes | undefined;
}

export interface PutGrant {
  /** Required size of the object in bytes */
  size: number;
  type: string;
  /** Milliseconds since the epoch */
  signedAtMs: number;
  /** Milliseconds from `signedAtMs` until the URL expires */
  validMs: number;
}

/**
 * Storage of files. An object either exists completely or not at all, and its bytes never change: a new put under the
 * same key replaces the object. `domain/files/object-keys.ts` defines the keys; every method throws an Error for an
 * invalid key.
 */
export interface ObjectStore {
  /**
   * Streams a body into storage with constant memory; once it returns, the object is durable.
   * @throws Failure FILE_TOO_LARGE above `maxBytes`; Failure UNAVAILABLE when the disk is full; the body's own error;
   * the reason of `signal` when it is aborted. After an error nothing is left, and an older object remains.
   */
  put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredObject>;
  putFile(key: string, path: string): Promise<StoredObject>;
  /**
   * The bytes of an object, or of a range of it; `end` is inclusive and may exceed the last byte. The caller reads
   * the stream to its end or destroys it.
   * @param expected the bytes by the record. A folder compares the whole file before the first byte, once an hour for an unchanged
   * file. A large file that is read whole, and an object of a service, is compared on its way: the stream fails with
   * ObjectDamaged before its last chunk. A service itself checks the ranges that it sends.
   * @throws Failure NOT_FOUND; Failure BAD_USER_INPUT when the range starts beyond the last byte; ObjectDamaged
   */
  get(key: string, range?: ByteRange, expected?: ExpectedBytes): Promise<Readable>;
  /** The facts of an object, without reading it; undefined if it does not exist. */
  head(key: string): Promise<StoredObject | undefined>;
  /**
   * Copies an object.
   * @param options.verify computes the hash from the copied bytes, regardless of the stored one: for an object that a
   * caller wrote
   * @param options.expected the bytes of `from` by its record; a service compares the hash that it keeps with the object
   * @throws Failure NOT_FOUND without an object under `from`; ObjectDamaged
   */
  copy(from: string, to: string, options?: CopyOptions): Promise<StoredObject>;
  delete(key: string): Promise<void>;
  /** Deletes every object with a key that starts with `prefix` and a slash, if there are any. */
  deletePrefix(prefix: string): Promise<void>;
  /**
   * Runs `fn` with a local path to the object's bytes, valid while `fn` runs. `fn` must only read it. Callers that
   * request the same object at the same time or soon after share the local copy.
   * @param expected the bytes by the record
   * @throws Failure NOT_FOUND; ObjectDamaged before `fn` runs
   */
  withLocalFile<T>(key: string, fn: (path: string) => Promise<T>, expected?: ExpectedBytes): Promise<T>;
  /**
   * The URL of a caller's direct PUT of one object into storage. It is valid for repeated PUTs until it expires,
   * so the object under such a key may change. Absent if bytes can only arrive through the gateway. The same grant
   * gives the same URL.
   */
  signPut?(key: string, grant: PutGrant): Promise<string>;
  /** Identity of the folder that holds the objects, which differs after another file system was mounted there. Absent for a service. */
  place?(): Promise<string>;
  /**
   * Removes partial writes of dead processes. No reader can see them.
   * @param olderThanMs longer than any write takes
   * @returns the number of folders or objects with partial writes
   */
  sweepUnfinished(olderThanMs: number): Promise<number>;
}
