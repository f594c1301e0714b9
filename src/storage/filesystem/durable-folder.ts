import { mkdir, open, rename, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from '../../domain/failures.ts';

const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** The code of a system error, such as `ENOENT`; undefined for any other value. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Turns the error of a full disk into a sentence for the reader; leaves every other error as it is. */
export function diskFailure(error: unknown): unknown {
  const code = systemErrorCode(error);
  return code !== undefined && FULL.has(code)
    ? new Failure('UNAVAILABLE', { detail: 'The disk is full.', machinery: 'disk', cause: error })
    : error;
}

/** How often a rename is tried anew when a concurrent delete has just removed the empty folder. */
const RENAME_ATTEMPTS = 5;

/**
 * Makes the entries of a folder (creations, renames, removals) outlive a power failure. A folder that a concurrent
 * delete has taken away has none.
 */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch((error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  });
  if (handle === undefined) return;
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder and its parents, durably. */
export async function makeFolder(folder: string): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return;
  for (let made = folder; made.length >= firstMade.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Renames a file into a folder that is made when it is missing. The caller syncs the folder. */
export async function renameInto(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await makeFolder(dirname(to));
      await rename(from, to);
      return;
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT' || attempt === RENAME_ATTEMPTS) throw error;
    }
  }
}

/** Removes a folder and its parents up to `root` (kept) for as long as they are empty, durably. */
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
