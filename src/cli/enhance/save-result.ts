import { join } from 'node:path';
import type { Burnish } from '../../client/burnish.ts';
import { sanitizeFilename } from '../../domain/upload/media.ts';
import type { EnhancementRepresentation } from '../../domain/representations/enhancement.ts';
import { CommandError } from '../command-error.ts';
import { downloadFile } from './download-file.ts';

export interface SaveOptions {
  folder: string;
  /** Whether a file at this path may be replaced; otherwise the next free name is used */
  overwrite?: (path: string) => boolean;
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
  { folder, overwrite, signal }: SaveOptions,
): Promise<string> {
  const name = filename === null ? undefined : sanitizeFilename(filename);
  if (filesize === null || name === undefined) throw new CommandError('The result has been deleted.');
  const path = join(folder, name);
  const response = await client.enhancements.download(id, { signal });
  return await downloadFile(response, path, { size: filesize, overwrite: overwrite?.(path) ?? false, signal });
}
