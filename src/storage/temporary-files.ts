import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sweepProcessFolders } from '../process/process-folders.ts';
import { nameOfThisProcess } from '../process/process-name.ts';
import { makeFolder } from './filesystem/durable-folder.ts';

export interface TemporaryFiles {
  /** A path for a new file, on the same file system as the store. */
  newPath(): Promise<string>;
  /** Removes the files of processes that have died. @returns of how many processes */
  sweep(): Promise<number>;
}

/**
 * Temporary files below `folder`, one sub-folder per process. What a process left behind that has died is
 * removed; what belongs to a live one is not.
 */
export async function openTemporaryFiles(folder: string): Promise<TemporaryFiles> {
  await makeFolder(folder);
  await sweepProcessFolders(folder);
  const own = join(folder, nameOfThisProcess());
  return {
    async newPath() {
      await mkdir(own, { recursive: true, mode: 0o700 });
      return join(own, randomUUID());
    },
    sweep: () => sweepProcessFolders(folder),
  };
}
