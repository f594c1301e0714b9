import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../domain/startup-error.ts';

const OTHERS = 0o007;
const GROUP_AND_OTHERS = 0o077;

/**
 * Creates a folder that only its owner may enter, with its parents. Narrows the permissions of an existing folder.
 * @throws StartupError when every user of the machine may enter it and this user may not change that
 * @throws the system's own error when the folder cannot be created
 */
export async function makePrivateFolder(path: string): Promise<void> {
  await makeFolder(path);
  const { mode } = await lstat(path);
  if ((mode & GROUP_AND_OTHERS) === 0) return;
  try {
    await chmod(path, mode & 0o700);
  } catch (cause) {
    // A volume of an orchestrator belongs to a group, and its owner may be another user.
    if ((mode & OTHERS) === 0) return;
    const remedy = 'Run chmod 700 on it as its owner, or choose another folder.';
    throw new StartupError(`Every user of this machine can read the folder ${path}. ${remedy}`, { cause });
  }
}

/**
 * Creates a folder. On a read-only disk Node.js reports ENOENT for the first missing parent. Creating that parent
 * alone gives the real error.
 */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' || path === undefined) throw error;
    await mkdir(path, { mode: 0o700 });
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
}

/** Removes the permissions of group and others from a folder and all its entries, if it exists. Ignores links. */
export async function narrowTree(path: string): Promise<void> {
  if (!(await narrow(path))) return;
  for (const name of await readdir(path)) await narrowTree(join(path, name));
}

/** @returns whether it is a folder */
async function narrow(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined || stats.isSymbolicLink()) return false;
  if ((stats.mode & GROUP_AND_OTHERS) !== 0) await chmod(path, stats.mode & 0o700).catch(unlessOfAnother);
  return stats.isDirectory();
}

/** Ignores entries of another user: only their owner can narrow them, and the folder above is closed. */
function unlessOfAnother(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPERM') throw error;
}
