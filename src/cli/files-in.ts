import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from './command-error.ts';

export interface FoundFile {
  path: string;
  /** Path in the folder */
  name: string;
}

/**
 * The regular files of a folder and its folders, by name. Hidden ones, whose names start with a dot, are left out, and links
 * are not followed.
 * @param except a folder to leave out, as `join` writes it
 * @throws CommandError for a folder that cannot be read
 */
export async function* filesIn(folder: string, except?: string, inside = ''): AsyncGenerator<FoundFile> {
  const place = join(folder, inside);
  const entries = await readdir(place, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`The folder ${place} cannot be read (${error.code ?? 'unknown reason'}).`);
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = join(inside, entry.name);
    const path = join(folder, name);
    if (entry.name.startsWith('.') || path === except) continue;
    if (entry.isDirectory()) yield* filesIn(folder, except, name);
    else if (entry.isFile()) yield { path, name };
  }
}
