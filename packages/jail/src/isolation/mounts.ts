import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** All files that a child can access. Paths are the same inside its jail and outside. */
export interface Mounts {
  readOnly: readonly string[];
  /** The folder of the inputs of a task, read-only */
  inbox: string;
  /** Where a task may write, and nowhere else */
  outbox: string;
  /** User and group id of the child, where it is not that of the parent */
  uid: number | undefined;
}

/** Paths that a child reads: Node.js with its libraries, and the given ones. Missing paths are omitted, and those in a folder of the list. */
export function readOnlyMounts(paths: readonly string[]): string[] {
  return withoutNested([process.execPath, ...libraries(), ...paths].filter((path) => existsSync(path)));
}

let libraryFolders: string[] | undefined;

/**
 * Folders of the shared libraries that this process has loaded; the loader itself is a file in one of them. A report stops the
 * process for milliseconds, so they are read once.
 */
function libraries(): string[] {
  const system = (path: string): boolean => path.startsWith('/lib') || path.startsWith('/usr');
  libraryFolders ??= [...new Set(sharedObjects().filter(system).map(dirname))];
  return libraryFolders;
}

/** The report leaves out connections: it would wait for a name server to name the other end of each. */
function sharedObjects(): string[] {
  const report = process.report as unknown as ReportWithoutNetwork;
  const { excludeNetwork } = report;
  report.excludeNetwork = true;
  try {
    return report.getReport().sharedObjects;
  } finally {
    report.excludeNetwork = excludeNetwork;
  }
}

/** Of Node.js 20.13 and later; its types lack both. */
interface ReportWithoutNetwork {
  excludeNetwork: boolean;
  getReport(): { sharedObjects: string[] };
}

/** A folder includes its content, so paths below another one are omitted. */
function withoutNested(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  const below = (path: string, folder: string): boolean =>
    path.startsWith(`${folder}/`) && statSync(folder).isDirectory();
  return unique.filter((path) => !unique.some((other) => other !== path && below(path, other)));
}
