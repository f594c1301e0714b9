import { mkdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder, sweepProcessFolders } from '../process/process-folders.ts';
import { nameOfThisProcess } from '../process/process-name.ts';

export interface Scratch {
  path: string;
  close(): Promise<void>;
}

/** Interval between touches of the folder, milliseconds. They prove to processes on other machines that this process is alive. */
const BEAT = 60 * 60 * 1000;

/**
 * Opens a folder for temporary files of this process's jobs. Deletes the folders of killed processes.
 * @param name distinguishes scratch folders of one process
 */
export async function openScratch(dataDir: string, name = 'scratch'): Promise<Scratch> {
  const root = join(dataDir, name);
  await mkdir(root, { recursive: true, mode: 0o700 });
  await sweepProcessFolders(root);
  const path = join(root, nameOfThisProcess());
  await mkdir(path, { recursive: true, mode: 0o700 });
  const timer = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, BEAT);
  timer.unref();
  return {
    path,
    async close() {
      clearInterval(timer);
      await removeFolder(path);
    },
  };
}
