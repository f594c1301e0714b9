import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VERSION } from '../../src/runtime/version.ts';
import { setup } from '../../scripts/setup.mjs';
import { repositoryRoot } from './repository.ts';

export interface TwinBuild {
  /** Program and first arguments of its command */
  program: readonly string[];
  /** Version and commit that its processes report */
  version: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Files that a build reads at run time, beside the packages of this checkout. */
const PARTS = ['dist', 'package.json', 'scripts/burnish.cjs', 'scripts/process.mjs'];

/**
 * The build of this checkout under the name of another commit. For Temporal it is another build.
 * @param commit twelve characters
 */
export async function twinBuild(commit: string): Promise<TwinBuild> {
  await setup({ quiet: true });
  // Below the checkout, where Node.js and the sandbox of decoders find its packages.
  const folder = join(repositoryRoot, '.cache', `twin-${commit}-${process.pid}`);
  await mkdir(folder, { recursive: true });
  for (const part of PARTS) await cp(join(repositoryRoot, part), join(folder, part), { recursive: true });
  await writeFile(join(folder, 'dist', 'build-commit'), commit);
  return {
    program: [process.execPath, join(folder, 'scripts', 'burnish.cjs')],
    version: `${VERSION}+${commit}`,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
