import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hashFiles } from './hash-files.ts';
import { onceACheckout } from './once-a-checkout.ts';
import { repositoryRoot } from './repository.ts';
import { temporaryFolder } from './temporary-folder.ts';

const execute = promisify(execFile);
/** The packages that anybody may install, by their folder. */
export const PUBLIC_PACKAGES = ['client', 'engine', 'jail', 'pdf'] as const;
export type PublicPackage = (typeof PUBLIC_PACKAGES)[number];

const folder = join(repositoryRoot, '.cache', 'public-packages');
/** The tarballs contain their parts of the vocabulary, and nothing of the service. */
const FOLDERS = [...['contract', ...PUBLIC_PACKAGES].map((name) => `packages/${name}`), 'scripts'];
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'LICENSE', 'README.md', 'THIRD-PARTY.md'];
/** What a build leaves in a package, and what no tarball depends on. */
const UNUSED = /^(dist|test)(\/|$)/;
/** Milliseconds for which tarballs stay after their build. */
const KEPT_MS = 3_600_000;

/**
 * Packs the public packages from the sources, as a clone does, or finds the tarballs of the same sources.
 * @returns their folder
 */
async function pack(): Promise<string> {
  const place = join(folder, await hashFiles(repositoryRoot, [...FILES, ...(await sources())]));
  if (existsSync(place)) return place;
  await removeOld();
  await using build = await temporaryFolder();
  for (const name of [...FOLDERS, ...FILES])
    await cp(join(repositoryRoot, name), join(build.path, name), { recursive: true });
  await symlink(join(repositoryRoot, 'node_modules'), join(build.path, 'node_modules'));
  const packed = `${place}.new`;
  await mkdir(packed, { recursive: true });
  for (const name of PUBLIC_PACKAGES)
    await execute('npm', ['run', 'package', '--', '--workspace', `@burnish/${name}`, '--pack-destination', packed], {
      cwd: build.path,
    });
  await rename(packed, place);
  return place;
}

async function sources(): Promise<string[]> {
  const listed = FOLDERS.map(async (name) => {
    const entries = await readdir(join(repositoryRoot, name), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const inside = files.map((path) => path.slice(join(repositoryRoot, name).length + 1));
    return inside.filter((path) => !UNUSED.test(path)).map((path) => join(name, path));
  });
  return (await Promise.all(listed)).flat();
}

/** Another run may still use the tarballs of sources that have changed since. */
async function removeOld(): Promise<void> {
  for (const name of existsSync(folder) ? await readdir(folder) : []) {
    const path = join(folder, name);
    if (Date.now() - (await stat(path)).mtimeMs > KEPT_MS) await rm(path, { recursive: true });
  }
}

const place = await onceACheckout('public-packages', pack);
const tarballs = await readdir(place);

/** The package with the native code of networks for this machine. npm adds it to the engine once both are published. */
export const RUNTIME = `onnxruntime-${process.platform}-${process.arch}` as const;

/** Path of the tarball of a public package. */
export const tarballOf = (name: PublicPackage | typeof RUNTIME): string =>
  join(
    place,
    tarballs.find((tarball) => tarball.startsWith(`burnish-${name}-`))!,
  );
