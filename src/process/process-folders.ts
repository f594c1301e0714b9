import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '@burnish/jail';
import { isRunning } from './process-identity.ts';
import { processOfName, thisHost } from './process-name.ts';

export { removeFolder } from '@burnish/jail';

/** Minimum age of folders of processes on other machines or in other containers, whose state is unknown, before they are removed. */
const FOREIGN_KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * Removes the folders of ended processes in `root`, each named by `nameOfThisProcess`.
 * @returns how many folders were removed
 */
export async function sweepProcessFolders(root: string): Promise<number> {
  let removed = 0;
  for (const name of await readdir(root)) {
    const folder = join(root, name);
    if (await mayBeInUse(name, folder)) continue;
    await removeFolder(folder);
    removed += 1;
  }
  return removed;
}

async function mayBeInUse(name: string, folder: string): Promise<boolean> {
  const owner = processOfName(name);
  if (owner?.host === thisHost) return isRunning(owner);
  return Date.now() - (await newestChange(folder)) < FOREIGN_KEPT_MS;
}

/** The latest change of the folder and its entries, in milliseconds since 1970. */
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
