import { execFile } from 'node:child_process';
import { rm, rmdir } from 'node:fs/promises';
import { promisify } from 'node:util';

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
  const options = {
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    timeout: REMOVAL_MS,
    killSignal: 'SIGKILL',
  } as const;
  const remove = (): Promise<unknown> => promisify(execFile)('rm', ['-rf', '--', folder], options);
  await remove().catch(async () => {
    await promisify(execFile)('chmod', ['-R', 'u+rwX', '--', folder], options).catch(() => undefined);
    await remove();
  });
}
