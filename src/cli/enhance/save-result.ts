import { join } from 'node:path';
import type { Burnish } from '@burnish/client';
import type { EnhancementRepresentation } from '@burnish/contract';
import { sanitizeFilename } from '../../domain/upload/filenames.ts';
import { CommandError } from '../command-error.ts';
import { downloadFile } from './download-file.ts';

/** Where a result is saved. */
export interface Place {
  path: string;
  /** Replaces a file at this path; otherwise the next free name is used */
  overwrite: boolean;
}

export interface SaveOptions {
  folder: string;
  /** Decides about the path of a result with its usual name */
  place: (path: string) => Place;
  signal?: AbortSignal | undefined;
}

/**
 * Writes the result of a finished enhancement into a folder that exists.
 * @returns its path
 * @throws BurnishError, CommandError
 */
export async function saveResult(
  client: Burnish,
  { id, filename, filesize }: EnhancementRepresentation,
  { folder, place, signal }: SaveOptions,
): Promise<string> {
  const name = filename === null ? undefined : sanitizeFilename(filename);
  if (filesize === null || name === undefined) throw new CommandError('The result has been deleted.');
  const response = await client.enhancements.download(id, { signal });
  const { path, overwrite } = place(join(folder, name));
  return await downloadFile(response, path, { size: filesize, overwrite, signal });
}
