import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from './command-error.ts';
import { printableName } from './printable.ts';

export interface FoundFile {
  path: string;
  /** Path in the folder */
  name: string;
}

export interface FilesOptions {
  /** A folder to leave out, as `join` writes it */
  except?: string | undefined;
  /** Receives the error of a folder inside that cannot be read, and the search continues. Absent: it ends the search */
  onUnreadable?: (error: CommandError) => void;
}

/**
 * The regular files of a folder and its folders, by name. Hidden ones, whose names start with a dot, are left out, and links
 * are not followed.
 * @throws CommandError for a folder that cannot be read
 */
export async function* filesIn(folder: string, options: FilesOptions = {}, inside = ''): AsyncGenerator<FoundFile> {
  const { except, onUnreadable } = options;
  const place = join(folder, inside);
  const entries = await readdir(place, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    const unreadable = new CommandError(
      `The folder ${printableName(place)} cannot be read (${error.code ?? 'unknown reason'}).`,
    );
    if (inside === '' || onUnreadable === undefined) throw unreadable;
    onUnreadable(unreadable);
    return [];
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = join(inside, entry.name);
    const path = join(folder, name);
    if (entry.name.startsWith('.') || path === except) continue;
    if (entry.isDirectory()) yield* filesIn(folder, options, name);
    else if (entry.isFile()) yield { path, name };
  }
}
