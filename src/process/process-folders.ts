import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './run-command.ts';
import { isRunning } from './process-identity.ts';
import { processOfName, thisHost } from './process-name.ts';

/** Minimum age of folders of processes on other machines or in other containers, whose state is unknown, before they are removed. */
const FOREIGN_KEPT_MS = 24 * 60 * 60 * 1000;

/** Milliseconds for the removal of a folder. A disk removes some ten thousand files a second. */
const REMOVAL_MS = 10 * 60 * 1000;

/**
 * Removes a folder with content of native code: files without number, folders without permissions, or deeper than a path may
 * be long. Node.js would list them all in the memory of this process, and fail at the others, so the programs of the system do it.
 * @throws Error if something remains
 */
export async function removeFolder(folder: string): Promise<void> {
  // An unused folder is empty, and needs no program.
  const isGone = await rmdir(folder).then(
    () => true,
    () => false,
  );
  if (isGone) return;
  if (process.platform === 'win32') return rm(folder, { recursive: true, force: true });
  const options = { env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }, timeoutMs: REMOVAL_MS };
  const remove = (): Promise<string> => runCommand('rm', ['-rf', '--', folder], options);
  await remove().catch(async () => {
    await runCommand('chmod', ['-R', 'u+rwX', '--', folder], options).catch(() => undefined);
    await remove();
  });
}

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
