import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE_FOLDER, type ModelSet } from '@burnish/engine/host';

const ENGINE = realpathSync(fileURLToPath(PACKAGE_FOLDER));

/** Paths that the engine's tasks read: its code, fonts and networks, and the packages. Some may be missing. */
export function readableFor(models: ModelSet): string[] {
  const networks = [models.fine, models.fast && dirname(models.fast.path)];
  return [ENGINE, ...packages(), ...networks].filter((path) => path !== null);
}

function packages(): string[] {
  const found: string[] = [];
  for (let folder = dirname(ENGINE); ; folder = dirname(folder)) {
    found.push(join(folder, 'node_modules'));
    if (folder === dirname(folder)) return found;
  }
}
