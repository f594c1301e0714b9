import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { counted, formatNumber } from '../../domain/counted.ts';
import { callersUmask } from '../../process/private-umask.ts';
import { CommandError } from '../command-error.ts';

const MAX_NAMES = 10_000;

export interface DownloadOptions {
  /** The expected length in bytes */
  size: number;
  /** Replaces a file of the same name; otherwise the next free name is used (`photo-1.jpg`) */
  overwrite?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Saves a download. It is written under a temporary name in the same folder and renamed when it is complete.
 * @returns the path of the file
 * @throws CommandError, also when the length is not the one expected
 */
export async function downloadFile(response: Response, target: string, options: DownloadOptions): Promise<string> {
  const { size, overwrite = false, signal } = options;
  const temporary = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomBytes(6).toString('hex')}.part`);
  try {
    const received = await receive(response, temporary, size);
    if (received !== size) throw truncated(target, received, size);
    await chmod(temporary, 0o666 & ~callersUmask);
    const path = overwrite ? target : await claimName(target);
    await rename(temporary, path);
    return path;
  } catch (error) {
    await rm(temporary, { force: true });
    signal?.throwIfAborted();
    if (error instanceof CommandError) throw error;
    throw new CommandError(`The result ${basename(target)} cannot be saved: ${describeReason(error)}.`, {
      cause: error,
    });
  }
}

/** @returns the number of received bytes */
async function receive({ body }: Response, path: string, size: number): Promise<number> {
  if (body === null) return 0;
  let count = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _, done) {
      count += chunk.byteLength;
      done(
        count > size ? new CommandError('The result is longer than its Content-Length. Repeat the command.') : null,
        chunk,
      );
    },
  });
  try {
    await pipeline(Readable.fromWeb(body as never), counter, createWriteStream(path, { flags: 'wx' }));
  } catch (error) {
    // undici's word for a connection that ended before the length it had announced
    if (error instanceof TypeError && error.message === 'terminated') return count;
    throw error;
  }
  return count;
}

function truncated(target: string, received: number, size: number): CommandError {
  return new CommandError(
    `The download of ${basename(target)} was interrupted after ${formatNumber(received)} of ${counted(size, 'byte')}.`,
  );
}

function describeReason(error: unknown): string {
  const code =
    (error as { code?: unknown; cause?: { code?: unknown } } | null)?.code ??
    (error as { cause?: { code?: unknown } }).cause?.code;
  if (code === 'ENOSPC') return 'the disk is full';
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'the folder is not writable';
  return typeof code === 'string' ? code : error instanceof Error ? error.message : 'unknown reason';
}

/** Reserves the first free name of `photo.jpg`, `photo-1.jpg`, `photo-2.jpg` and so on with an empty file. */
async function claimName(wanted: string): Promise<string> {
  const extension = extname(wanted);
  const stem = basename(wanted, extension);
  for (let n = 0; n < MAX_NAMES; n += 1) {
    const path = n === 0 ? wanted : join(dirname(wanted), `${stem}-${n}${extension}`);
    try {
      await (await open(path, 'wx')).close();
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  throw new Error(`no free name is left for ${basename(wanted)}`);
}
