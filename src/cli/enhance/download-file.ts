import { createWriteStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BurnishError } from '@burnish/client';
import { counted, formatNumber } from '@burnish/contract';
import { CommandError } from '../command-error.ts';
import { WRITE_REASONS } from '../describe-error.ts';
import { saveFile } from '../save-file.ts';

export interface DownloadOptions {
  /** The expected length in bytes */
  size: number;
  /** Replaces a file of the same name; otherwise the next free name is used (`photo-1.jpg`) */
  overwrite?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Saves a download, which has a file only when it is complete.
 * @returns the path of the file
 * @throws CommandError, also when the length is not the one expected; BurnishError for a lost connection
 */
export async function downloadFile(response: Response, target: string, options: DownloadOptions): Promise<string> {
  const { size, overwrite = false, signal } = options;
  try {
    return await saveFile(target, overwrite ? 'replace' : 'next-name', async (temporary) => {
      const received = await receive(response, temporary, size);
      if (received !== size) throw truncated(target, received, size);
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof CommandError || error instanceof BurnishError) throw error;
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
  await pipeline(Readable.fromWeb(body as never), counter, createWriteStream(path, { flags: 'wx' }));
  return count;
}

function truncated(target: string, received: number, size: number): CommandError {
  return new CommandError(
    `The download of ${basename(target)} has ${formatNumber(received)} of ${counted(size, 'byte')}. Repeat the command.`,
  );
}

function describeReason(error: unknown): string {
  const code =
    (error as { code?: unknown; cause?: { code?: unknown } } | null)?.code ??
    (error as { cause?: { code?: unknown } }).cause?.code;
  if (typeof code === 'string') return WRITE_REASONS[code] ?? code;
  return error instanceof Error ? error.message : 'unknown reason';
}
