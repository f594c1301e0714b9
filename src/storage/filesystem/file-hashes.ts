import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { accountIn } from '../../domain/files/object-keys.ts';
import { hashFile } from '../../process/hash-file.ts';
import { matches, ObjectDamaged, type ExpectedBytes, type FoundBytes, type ReportDamage } from '../integrity.ts';
import { systemErrorCode } from './durable-files.ts';

/** Identity of a file's bytes as its file system tells it. */
export interface FileIdentity {
  /** Bytes */
  size: number;
  inode: string;
  modifiedNs: string;
  /** Changes also when somebody sets the time of modification back */
  changedNs: string;
}

/** Identifies the bytes of a file; undefined when there is no such file. */
export async function identifyFile(path: string): Promise<FileIdentity | undefined> {
  try {
    return toIdentity(await stat(path, { bigint: true }));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export const toIdentity = ({ size, ino, mtimeNs, ctimeNs }: BigIntStats): FileIdentity => ({
  size: Number(size),
  inode: String(ino),
  modifiedNs: String(mtimeNs),
  changedNs: String(ctimeNs),
});

/** Whether two identities are of the same bytes. A new link to a file changes only `changedNs`. */
export const sameBytes = (a: FileIdentity, b: FileIdentity | undefined): boolean =>
  b !== undefined && a.size === b.size && a.inode === b.inode && a.modifiedNs === b.modifiedNs;

interface Reading {
  identity: FileIdentity;
  sha256: string;
  /** Milliseconds of the clock */
  atMs: number;
  /** Whether a second reading has confirmed other bytes than expected */
  isConfirmed: boolean;
}

/** Number of files whose hash is kept, about 400 bytes each. */
const KEPT = 5_000;
/** Time in milliseconds for which a hash is good for an unchanged file: bits rot without a trace in its times. */
const GOOD_MS = 3_600_000;
/** Time in milliseconds after which damage is looked at again, because a disk array may have mended it in place. */
const DAMAGED_MS = 10_000;
/** Size in bytes above which an account reads one file at a time. */
const LARGE_BYTES = 8_000_000;

/**
 * Hashes of files, from their bytes. An unchanged file is read once an hour, whatever the number of its readers, and large files
 * of one account one after the other.
 * @param now milliseconds of a monotonic clock
 */
export function createFileHashes(report: ReportDamage = () => undefined, now: () => number = () => performance.now()) {
  const known = new Map<string, Reading>();
  const running = new Map<string, Promise<string>>();
  const queues = new Map<string, Promise<unknown>>();

  function keep(path: string, identity: FileIdentity, sha256: string): Reading {
    const before = recall(path, identity);
    const reading = { identity, sha256, atMs: now(), isConfirmed: before?.sha256 === sha256 && before.isConfirmed };
    known.delete(path);
    known.set(path, reading);
    if (known.size > KEPT) known.delete(known.keys().next().value!);
    return reading;
  }

  function recall(path: string, identity: FileIdentity): Reading | undefined {
    const reading = known.get(path);
    if (reading === undefined || now() - reading.atMs >= GOOD_MS) return undefined;
    return sameBytes(identity, reading.identity) && identity.changedNs === reading.identity.changedNs
      ? reading
      : undefined;
  }

  /** Readers at the same time share a reading. */
  function hash(key: string, path: string, { size, inode, modifiedNs }: FileIdentity): Promise<string> {
    const name = `${path} ${size} ${inode} ${modifiedNs}`;
    const read = running.get(name) ?? oneLargeAtOnce(accountIn(key), size, () => hashFile(path));
    running.set(name, read);
    const forget = (): void => void (running.get(name) === read && running.delete(name));
    read.then(forget, forget);
    return read;
  }

  function oneLargeAtOnce<T>(account: string, size: number, work: () => Promise<T>): Promise<T> {
    if (size <= LARGE_BYTES) return work();
    const done = (queues.get(account) ?? Promise.resolve()).then(work);
    const last = done.catch(() => undefined);
    queues.set(account, last);
    void last.then(() => queues.get(account) === last && queues.delete(account));
    return done;
  }

  /** @param again reads the file even if its hash is known */
  async function read(key: string, path: string, again = false): Promise<Reading | undefined> {
    for (;;) {
      const identity = await identifyFile(path);
      if (identity === undefined) return undefined;
      const before = recall(path, identity);
      if (before !== undefined && !again) return before;
      const sha256 = await hash(key, path, identity).catch((error: unknown) => {
        if (systemErrorCode(error) !== 'ENOENT') throw error;
      });
      // A put or a deletion happened in between: the hash may belong to other bytes.
      if (sha256 !== undefined && sameBytes(identity, await identifyFile(path))) {
        return keep(path, identity, sha256);
      }
    }
  }

  const toFound = ({ identity, sha256 }: Reading): FoundBytes => ({ size: identity.size, sha256 });

  return {
    /** Notes the hash of bytes that this process has just written or read. */
    note: (path: string, identity: FileIdentity, sha256: string): void => void keep(path, identity, sha256),

    /** The hash of an unchanged file, without reading it. */
    recall: (path: string, identity: FileIdentity): string | undefined => recall(path, identity)?.sha256,

    /** Size and hash of a file's bytes; undefined when there is no such file. */
    async of(key: string, path: string): Promise<FoundBytes | undefined> {
      const reading = await read(key, path);
      return reading && toFound(reading);
    },

    /**
     * Compares the bytes of a file. Damage counts only after a second reading, since the first one may be at fault.
     * Without a file there is nothing to compare.
     * @throws ObjectDamaged
     */
    async compare(key: string, path: string, expected: ExpectedBytes): Promise<void> {
      let reading = await read(key, path);
      if (reading === undefined || matches(expected, toFound(reading))) return;
      if (!reading.isConfirmed || now() - reading.atMs >= DAMAGED_MS) {
        const again = await read(key, path, true);
        if (again === undefined || matches(expected, toFound(again))) return;
        if (!again.isConfirmed) report(new ObjectDamaged(key, expected, toFound(again)));
        again.isConfirmed = true;
        reading = again;
      }
      throw new ObjectDamaged(key, expected, toFound(reading));
    },
  };
}
