import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Lists files and folders, including the given one, with any permission for group or others: `0644 path`. Excludes links. */
export async function wideFiles(path: string): Promise<string[]> {
  const stats = await lstat(path);
  if (stats.isSymbolicLink()) return [];
  const mode = stats.mode & 0o777;
  const own = (mode & 0o077) === 0 ? [] : [`${mode.toString(8).padStart(4, '0')} ${path}`];
  if (!stats.isDirectory()) return own;
  const below = await Promise.all((await readdir(path)).map((name) => wideFiles(join(path, name))));
  return [...own, ...below.flat()];
}
