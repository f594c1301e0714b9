import { join } from 'node:path';
import { StartupError } from '../../domain/startup-error.ts';
import { FolderInUse, lockFolder, type LockTiming } from '../../process/folder-lock.ts';

/**
 * Prevents a second process from opening a data folder.
 * @returns a function that releases the folder
 * @throws StartupError naming the process that has it
 */
export async function lockDataFolder(folder: string, timing?: LockTiming): Promise<() => Promise<void>> {
  try {
    return (await lockFolder(join(folder, 'locks'), timing)).release;
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    throw new StartupError(`The data folder ${folder} is in use by process ${error.pid}.`);
  }
}
