import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from './process-identity.ts';
import { processOfName, thisHost } from './process-name.ts';

/** A folder of a process that cannot be asked (another machine, another container) is left alone for this long. */
const FOREIGN_KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * Removes what processes have left behind in `root` that run no more: a folder each, named by `nameOfThisProcess`.
 * @returns how many folders were removed
 */
export async function sweepProcessFolders(root: string): Promise<number> {
  let removed = 0;
  for (const name of await readdir(root)) {
    const folder = join(root, name);
    if (await mayBeInUse(name, folder)) continue;
    await rm(folder, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

async function mayBeInUse(name: string, folder: string): Promise<boolean> {
  const owner = processOfName(name);
  if (owner?.host === thisHost) return isRunning(owner);
  return Date.now() - (await newestChange(folder)) < FOREIGN_KEPT_MS;
}

/** Of the folder and what lies in it, in milliseconds since 1970. */
async function newestChange(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const times = await Promise.all(
    [folder, ...names.map((name) => join(folder, name))].map((path) =>
      stat(path).then(
        (stats) => stats.mtimeMs,
        () => 0,
      ),
    ),
  );
  return Math.max(...times);
}
