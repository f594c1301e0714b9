import { mkdir, open, rename, rmdir, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createHash, randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import { Failure } from '@burnish/contract';
import { fileTooLarge } from '../../domain/upload/check-file-size.ts';
import type { PutOptions } from '../object-store.ts';
import { sweepProcessFolders } from '../../process/process-folders.ts';
import { nameOfThisProcess } from '../../process/process-name.ts';

const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** The code of a system error, such as `ENOENT`; undefined for any other value. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Converts the error of a full disk to a sentence for the operator; returns every other error unchanged. */
export function diskFailure(error: unknown): unknown {
  const code = systemErrorCode(error);
  return code !== undefined && FULL.has(code)
    ? new Failure('UNAVAILABLE', { detail: 'The disk is full.', machinery: 'disk', cause: error })
    : error;
}

/** Maximum number of attempts to rename a file when a concurrent delete removes the empty folder. */
const RENAME_ATTEMPTS = 5;

/** Threads that serve all files of this process; libuv starts four unless it is told another number. */
const FILE_THREADS = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);

/** Syncs take turns: each takes a thread for as long as the disk needs, and half of the threads are left for everything else. */
const syncs = pLimit(Math.max(1, Math.floor(FILE_THREADS / 2)));

/** Makes the bytes of a file, or the entries of a folder, durable. */
export const syncToDisk = (handle: Pick<FileHandle, 'sync'>): Promise<void> => syncs(() => handle.sync());

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch((error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  });
  if (handle === undefined) return;
  try {
    await syncToDisk(handle);
  } finally {
    await handle.close();
  }
}

export async function makeFolder(folder: string): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return;
  for (let made = folder; made.length >= firstMade.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Renames a file into a folder, and makes the folder if it is missing. */
export async function renameInto(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT' || attempt === RENAME_ATTEMPTS) throw error;
      await makeFolder(dirname(to));
    }
  }
}

/** Removes a folder and its empty parents below `root` durably. */
export async function removeEmptyFolders(folder: string, root: string): Promise<void> {
  let at = folder;
  while (at !== root) {
    try {
      await rmdir(at);
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === 'ENOTEMPTY' || code === 'EEXIST') break;
      if (code !== 'ENOENT') throw error;
    }
    at = dirname(at);
  }
  await syncFolder(at);
}

export interface WriteOptions extends PutOptions {
  /** Whether the file must be durable once this returns; default: yes */
  sync?: boolean;
}

/**
 * Writes a body to an open file in chunks, and syncs it.
 * @throws Failure FILE_TOO_LARGE as soon as more than `maxBytes` have arrived; the reason of `signal`
 */
export async function writeBody(
  handle: FileHandle,
  body: AsyncIterable<Uint8Array>,
  { maxBytes, signal, sync = true }: WriteOptions,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of untilAborted(body, signal)) {
    size += chunk.byteLength;
    if (size > maxBytes) throw fileTooLarge(maxBytes);
    hash.update(chunk);
    for (let written = 0; written < chunk.byteLength;) {
      written += (await handle.write(chunk, written, chunk.byteLength - written)).bytesWritten;
    }
  }
  if (sync) await syncToDisk(handle);
  return { size, sha256: hash.digest('hex') };
}

/** A body that rejects with the signal's reason at once, even if its source has stalled. */
async function* untilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (signal === undefined) return yield* body;
  const source = body[Symbol.asyncIterator]();
  // One promise for each chunk: racing every chunk against one long-lived promise would keep them all in memory.
  let interrupt: (reason: unknown) => void = () => undefined;
  const onAbort = (): void => interrupt(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await new Promise<IteratorResult<Uint8Array, unknown>>((resolve, reject) => {
        interrupt = reject;
        source.next().then(resolve, reject);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited, since a stalled source would never settle.
    source.return?.()?.catch(() => undefined);
  }
}

export interface TemporaryFiles {
  /** Returns a path for a new file, on the same file system as the store. */
  newPath(): Promise<string>;
  sweep(): Promise<number>;
}

/** Temporary files below `folder`, with one sub-folder per process. The sweep removes files of dead processes only. */
export async function openTemporaryFiles(folder: string): Promise<TemporaryFiles> {
  const own = join(folder, nameOfThisProcess());
  const sweep = (): Promise<number> =>
    sweepProcessFolders(folder).catch((error: unknown) => {
      if (systemErrorCode(error) === 'ENOENT') return 0;
      throw error;
    });
  await sweep();
  return {
    // Created on demand: the folder of a store may be a mount point whose file system is away at the start.
    async newPath() {
      await makeFolder(own);
      return join(own, randomUUID());
    },
    sweep,
  };
}
