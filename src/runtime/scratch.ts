import { mkdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { sweepProcessFolders } from '../process/process-folders.ts';
import { nameOfThisProcess } from '../process/process-name.ts';

export interface Scratch {
  path: string;
  /** Removes the folder. */
  close(): Promise<void>;
}

/** Milliseconds between signs of life, for processes on other machines that share the data folder. */
const BEAT = 60 * 60 * 1000;

/**
 * A folder for files that live as long as one job of this process. Folders of killed
 * processes are removed.
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
    // The jobs themselves report a full or lost disk.
    utimes(path, now, now).catch(() => {});
  }, BEAT);
  timer.unref();
  return {
    path,
    async close() {
      clearInterval(timer);
      await rm(path, { recursive: true, force: true });
    },
  };
}
