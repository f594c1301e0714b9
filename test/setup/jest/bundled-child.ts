import { existsSync } from 'node:fs';
import { chmod, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';
import { buildChild } from '../../../scripts/build-child.mjs';
import { createChildProgram } from '../../../packages/jail/src/child/child-program.ts';
import type { EngineProgram } from '../../../src/sandbox/child-program.ts';
import { hashFiles } from '../../support/hash-files.ts';
import { onceACheckout } from '../../support/once-a-checkout.ts';
import { repositoryRoot } from '../../support/repository.ts';

const READ_BY_CHILDREN = ['contract', 'engine', 'jail', 'pdf'].map((name) => join('packages', name, 'src'));
const SUPPORT = join('test', 'sandbox', 'support');
/** Milliseconds for which a bundle stays after its build. */
const KEPT_MS = 3_600_000;
const folder = join(repositoryRoot, '.cache', 'engine-child');

/**
 * Bundles the program of the engine's children and all lists of tasks from the sources, or finds the bundle of the same sources.
 * @returns its folder
 */
async function bundle(): Promise<string> {
  const lists = (await listSources(SUPPORT)).filter((name) => name.endsWith('-tasks.ts'));
  const sources = await Promise.all(READ_BY_CHILDREN.map(listSources));
  const names = ['package-lock.json', 'scripts/build-child.mjs', ...lists, ...sources.flat()];
  const place = join(folder, await hashFiles(repositoryRoot, names));
  if (existsSync(place)) return place;
  await removeOld();
  const more = Object.fromEntries(lists.map((name) => [basename(name, '.ts'), join(repositoryRoot, name)]));
  await buildChild(`${place}.new`, { more, plugins: [besidePackages] });
  await openToChildren(`${place}.new`);
  await rename(`${place}.new`, place);
  return place;
}

/** The bundle is not beside the fonts and the networks. Its path is relative, since a checkout may move with its bundle. */
const besidePackages: Plugin = {
  name: 'package-folder',
  transform: (_, id) =>
    id.endsWith('/engine/src/package-folder.ts')
      ? `export const PACKAGE_FOLDER = new URL('../../../packages/engine/', import.meta.url);`
      : null,
};

/** Children have another user than root. The tests of a process with a private umask may be the first that need the bundle. */
async function openToChildren(built: string): Promise<void> {
  for (const name of await readdir(built)) await chmod(join(built, name), 0o644);
  await chmod(built, 0o755);
}

/** Another run may still use a bundle of sources that have changed since. */
async function removeOld(): Promise<void> {
  for (const name of existsSync(folder) ? await readdir(folder) : []) {
    const path = join(folder, name);
    if (Date.now() - (await stat(path)).mtimeMs > KEPT_MS) await rm(path, { recursive: true });
  }
}

async function listSources(module: string): Promise<string[]> {
  const names = await readdir(join(repositoryRoot, module), { recursive: true });
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(module, name));
}

const place = await onceACheckout('engine-child', bundle);

/** Takes the place of `src/sandbox/child-program.ts` in tests. */
export const childProgram: EngineProgram = {
  ...createChildProgram({
    entry: pathToFileURL(join(place, 'jail-child.cjs')),
    tasks: pathToFileURL(join(place, 'tasks.cjs')),
  }),
  hasThreads: false,
};
