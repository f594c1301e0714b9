import { mkdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { sweepProcessFolders } from '../process/process-folders.ts';
import { nameOfThisProcess } from '../process/process-name.ts';

export interface Scratch {
  path: string;
  /** Removes the folder. */
  close(): Promise<void>;
}

/** Milliseconds between signs of life, for processes that share the data folder and cannot see ours. */
const BEAT = 60 * 60 * 1000;

/**
 * A folder for files that live as long as one job of this process. Folders of processes that are gone, killed in the
 * middle of a job, are removed.
 * @param name tells scratch folders of one process apart
 */
export async function openScratch(dataDir: string, name = 'scratch'): Promise<Scratch> {
  const root = join(dataDir, name);
  await mkdir(root, { recursive: true, mode: 0o700 });
  await sweepProcessFolders(root);
  const path = join(root, nameOfThisProcess());
  await mkdir(path, { recursive: true, mode: 0o700 });
  const timer = setInterval(() => {
    const now = new Date();
    // A full or lost disk is met by the jobs themselves.
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
