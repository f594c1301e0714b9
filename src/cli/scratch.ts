import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A folder for files that live as long as one job of this process, named by its process id. Folders of processes that
 * are gone, killed in the middle of a job, are removed.
 */
export async function openScratch(dataDir: string): Promise<string> {
  const root = join(dataDir, 'scratch');
  const own = join(root, String(process.pid));
  await mkdir(root, { recursive: true });
  for (const name of await readdir(root)) {
    if (!isAlive(Number(name)) || name === String(process.pid))
      await rm(join(root, name), { recursive: true, force: true });
  }
  await mkdir(own);
  return own;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Not ours to signal, and yet there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
