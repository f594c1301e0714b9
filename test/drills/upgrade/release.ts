import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run, SetupError } from '../../../scripts/process.mjs';
import { onceACheckout } from '../../support/once-a-checkout.ts';
import { repositoryRoot } from '../../support/repository.ts';
import { twinBuild } from '../../support/twin-build.ts';

/** The build that an upgrade leads away from. */
export interface PreviousBuild extends AsyncDisposable {
  /** Of a person's sentence */
  name: string;
  /** Program and first arguments of its command */
  program: readonly string[];
}

/**
 * Builds the last release before the current commit. Without a tag of one, a copy of the build of this checkout takes its place.
 * @param revision tag or commit of another build
 * @throws SetupError as `buildRelease`
 */
export async function previousBuild(revision?: string): Promise<PreviousBuild> {
  const name = revision ?? (await lastRelease());
  if (name !== undefined)
    return { name, program: await buildRelease(name), [Symbol.asyncDispose]: () => Promise.resolve() };
  const twin = await twinBuild('aaaaaaaaaaaa');
  return {
    name: 'a copy of this build, since this clone has no tag of a release',
    program: twin.program,
    [Symbol.asyncDispose]: () => twin[Symbol.asyncDispose](),
  };
}

async function lastRelease(): Promise<string | undefined> {
  const { code, output } = await git('describe', '--tags', '--abbrev=0', '--match', 'v*');
  return code === 0 ? output.trim() : undefined;
}

/**
 * Builds the sources of a commit with the packages of its own lockfile, once for a commit.
 * @param revision tag or commit
 * @returns program and first arguments of its command
 * @throws SetupError when the commit is missing or does not build
 */
async function buildRelease(revision: string): Promise<readonly string[]> {
  const { code, output } = await git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`);
  if (code !== 0) throw new SetupError(`This clone has no ${revision}. Fetch it: git fetch --tags --unshallow`);
  const commit = output.trim();
  const folder = join(repositoryRoot, '.cache', 'releases', commit);
  await onceACheckout('releases', async () => {
    if (await exists(folder)) return;
    const unfinished = `${folder}-unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { recursive: true });
    await step(repositoryRoot, 'sh', '-c', 'git archive "$1" | tar -x -C "$2"', 'sh', commit, unfinished);
    await step(unfinished, process.execPath, 'scripts/setup.mjs');
    // A quarter of the folder is for development only.
    await step(unfinished, 'npm', 'prune', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund');
    await rename(unfinished, folder);
  });
  return [process.execPath, join(folder, 'dist', 'cli.js')];
}

const git = (...args: string[]) => run('git', args, { cwd: repositoryRoot, quiet: true });

async function step(cwd: string, command: string, ...args: string[]): Promise<void> {
  const { code, output } = await run(command, args, { cwd, quiet: true });
  if (code !== 0) throw new SetupError(`${output.trimEnd()}\n\nThe release could not be built; the reasons are above.`);
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
