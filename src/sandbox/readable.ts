import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ModelSet } from '../engine/neural/model-set.ts';

/** The folder of `dist` or `src`, and its parent. */
const SOURCES = realpathSync(fileURLToPath(new URL('..', import.meta.url)));
const ROOT = dirname(SOURCES);

/** Paths that the engine's tasks read: its code, the packages, the networks. Some may be missing. */
export function readableFor(models: ModelSet): string[] {
  const networks = [models.fine, models.fast && dirname(models.fast.path), join(ROOT, 'models')];
  return [join(SOURCES, 'engine'), join(ROOT, 'package.json'), ...packages(), ...networks].filter(
    (path) => path !== null,
  );
}

function packages(): string[] {
  const found: string[] = [];
  for (let folder = SOURCES; ; folder = dirname(folder)) {
    found.push(join(folder, 'node_modules'));
    if (folder === dirname(folder)) return found;
  }
}
