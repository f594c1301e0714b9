import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { chmod, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { callersUmask } from '../process/private-umask.ts';
import { CommandError } from './command-error.ts';

/** What happens to a file of the same name: it is replaced, or the new one gets the next free name, or is refused. */
export type Existing = 'replace' | 'next-name' | 'refuse';

/**
 * Saves a file. It is written under a temporary name in the same folder and renamed when it is complete.
 * A signal that ends the process removes the temporary file first.
 * @param write fills the file with the temporary name, which does not exist yet
 * @returns the path of the file
 * @throws CommandError for a refused name; errors of the file system and of `write`, which leave no file
 */
export async function saveFile(
  target: string,
  existing: Existing,
  write: (temporary: string) => Promise<void>,
): Promise<string> {
  const temporary = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomBytes(6).toString('hex')}.part`);
  keepTrack(temporary);
  try {
    await write(temporary);
    await chmod(temporary, 0o666 & ~callersUmask());
    const path = PLACES[existing](target);
    await rename(temporary, path);
    return path;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    forget(temporary);
  }
}

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const unfinished = new Set<string>();

function keepTrack(temporary: string): void {
  // Before other listeners, because one of them may leave with the first signal and thus let the next one end the process.
  if (unfinished.size === 0) for (const signal of ENDING) process.prependListener(signal, endWithoutFiles);
  unfinished.add(temporary);
}

function forget(temporary: string): void {
  unfinished.delete(temporary);
  if (unfinished.size === 0) for (const signal of ENDING) process.off(signal, endWithoutFiles);
}

/** Ends the process as the signal does by default, unless another listener handles the signal. */
function endWithoutFiles(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  for (const temporary of unfinished) rmSync(temporary, { force: true });
  process.off(signal, endWithoutFiles);
  process.kill(process.pid, signal);
}

const PLACES: Record<Existing, (target: string) => string> = {
  replace: (target) => target,
  'next-name': (target) => freeName(target, reserve),
  refuse: reserveOnly,
};

export const existingFile = (path: string): CommandError =>
  new CommandError(`The file ${path} exists. Set another path with --out.`);

/**
 * The first free name of `photo.jpg`, `photo-1.jpg`, `photo-2.jpg` and so on.
 * @param isFree answers for a path, and may reserve it
 */
export function freeName(wanted: string, isFree: (path: string) => boolean): string {
  const { dir, name, ext } = parse(wanted);
  for (let n = 0; ; n += 1) {
    const path = n === 0 ? wanted : join(dir, `${name}-${n}${ext}`);
    if (isFree(path)) return path;
  }
}

/** Reserves a name with an empty file, so that no other process takes it. @returns false for a file that exists */
function reserve(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function reserveOnly(path: string): string {
  if (reserve(path)) return path;
  throw existingFile(path);
}
