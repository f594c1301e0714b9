import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ModelSet } from '../neural/model-set.ts';

/** All files that a child can access. Paths are the same inside its jail and outside. */
export interface View {
  readable: readonly string[];
  /** The folder of the inputs of a task, read-only */
  inbox: string;
  /** Where a task may write, and nowhere else */
  outbox: string;
}

/** The folder of `dist` or `src`, and its parent. */
const SOURCES = realpathSync(fileURLToPath(new URL('../..', import.meta.url)));
const ROOT = dirname(SOURCES);

/**
 * Paths that a child reads for its work: Node.js with its libraries, the engine, the packages, the networks. Missing paths are omitted.
 * @param tasksPath the module with the list of tasks
 */
export function readableFor(models: ModelSet, tasksPath: string, more: readonly string[] = []): string[] {
  const engine = ['engine', 'domain', 'process'].map((module) => join(SOURCES, module));
  const networks = [models.fine, models.fast && dirname(models.fast.path), join(ROOT, 'models')];
  const paths = [process.execPath, ...libraries(), ...engine, join(ROOT, 'package.json'), ...packages()];
  const wanted = [...paths, ...networks, ...more, dirname(tasksPath)].filter(
    (path) => path !== null && existsSync(path),
  );
  return withoutNested(wanted as string[]);
}

/** Folders of the shared libraries that this process has loaded; the loader itself is a file in one of them. */
function libraries(): string[] {
  const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] };
  return [...new Set(sharedObjects.filter((path) => path.startsWith('/lib') || path.startsWith('/usr')).map(dirname))];
}

function packages(): string[] {
  const found: string[] = [];
  for (let folder = SOURCES; ; folder = dirname(folder)) {
    found.push(join(folder, 'node_modules'));
    if (folder === dirname(folder)) return found;
  }
}

/** A folder includes its content, so paths below another one are omitted. */
function withoutNested(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  const below = (path: string, folder: string): boolean =>
    path.startsWith(`${folder}/`) && statSync(folder).isDirectory();
  return unique.filter((path) => !unique.some((other) => other !== path && below(path, other)));
}
