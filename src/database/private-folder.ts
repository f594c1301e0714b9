import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../domain/startup-error.ts';

const OTHERS = 0o007;
const GROUP_AND_OTHERS = 0o077;

/**
 * Makes a folder that its owner alone may enter, with those above it. One that exists and is wider is narrowed.
 * @throws StartupError when every user of the machine may enter it and this user may not change that; the system's own error when
 *   it cannot be made
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
    const remedy = 'Let its owner run chmod 700 on it, or choose another folder.';
    throw new StartupError(`Every user of this machine may enter the folder ${path}. ${remedy}`, { cause });
  }
}

/** On a read-only disk Node.js says ENOENT of the first missing parent. Creating that parent alone gives the real error. */
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

/**
 * Removes the rights of group and others from the entries of a folder, so that nobody else enters any folder in it. Deeper entries are
 * out of reach then and stay as they are: there may be a million stored files.
 */
export async function narrowEntries(path: string): Promise<void> {
  for (const name of await readdir(path)) await narrow(join(path, name));
}

/** Takes the rights of group and others from a folder and all below it, where there is one. Links are left alone. */
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

/** What another user owns in the folder is that one's to narrow; the folder above it is closed. */
function unlessOfAnother(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPERM') throw error;
}
