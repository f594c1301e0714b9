import { mkdir } from 'node:fs/promises';

/**
 * Makes a folder and its parents for this user alone; one that is there stays as it is.
 * @throws the system's own error. On a read-only disk Node.js says ENOENT of the first missing parent, which hides the reason:
 *   that parent is then made on its own, and its error is the one that counts
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' || path === undefined) throw error;
    await mkdir(path, { mode: 0o700 });
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
}
