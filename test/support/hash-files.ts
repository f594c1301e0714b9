import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Hashes names and bytes of files, as a key of what a cache derives from them.
 * @param names relative to the folder
 * @returns 16 hex digits
 */
export async function hashFiles(folder: string, names: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const name of names.toSorted()) hash.update(name).update(await readFile(join(folder, name)));
  return hash.digest('hex').slice(0, 16);
}
