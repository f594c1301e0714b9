import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** All files that a child can access. Paths are the same inside its jail and outside. */
export interface Mounts {
  readOnly: readonly string[];
  /** The folder of the inputs of a task, read-only */
  inbox: string;
  /** Where a task may write, and nowhere else */
  outbox: string;
}

/** Paths that a child reads: Node.js with its libraries, and the given ones. Missing paths are omitted, and those in a folder of the list. */
export function readOnlyMounts(paths: readonly string[]): string[] {
  return withoutNested([process.execPath, ...libraries(), ...paths].filter((path) => existsSync(path)));
}

/** Folders of the shared libraries that this process has loaded; the loader itself is a file in one of them. */
function libraries(): string[] {
  const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] };
  return [...new Set(sharedObjects.filter((path) => path.startsWith('/lib') || path.startsWith('/usr')).map(dirname))];
}

/** A folder includes its content, so paths below another one are omitted. */
function withoutNested(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  const below = (path: string, folder: string): boolean =>
    path.startsWith(`${folder}/`) && statSync(folder).isDirectory();
  return unique.filter((path) => !unique.some((other) => other !== path && below(path, other)));
}
