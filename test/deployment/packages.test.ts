import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';

const IMPORT = /(?:^|\n)(?:import|export)\b(?! type\b)[^'";]*?from '([^'.][^']*)'|import\('([^'.][^']*)'\)/g;
type Field = 'dependencies' | 'peerDependencies' | 'devDependencies';

/**
 * Packages that the sources below src/ import, and that these fields of the manifest do not list, as `package in file`. Packages of this
 * clone are exempt: npm links them, and the build bundles them.
 */
async function unlisted(folder: string, fields: readonly Field[]): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Partial<
    Record<Field, Record<string, string>>
  >;
  const listed = new Set(fields.flatMap((field) => Object.keys(manifest[field] ?? {})));
  const names = await readdir(join(folder, 'src'), { recursive: true });
  const files = names.filter((name) => /(?<!\.d)\.tsx?$/.test(name));
  const missing = new Set<string>();
  for (const name of files) {
    for (const [, from, lazily] of (await readFile(join(folder, 'src', name), 'utf8')).matchAll(IMPORT)) {
      const path = (from ?? lazily)!;
      if (path.startsWith('node:') || path.startsWith('@burnish/') || builtinModules.includes(path)) continue;
      const named = path.split('/').slice(0, path.startsWith('@') ? 2 : 1);
      if (!listed.has(named.join('/'))) missing.add(`${named.join('/')} in ${name}`);
    }
  }
  return [...missing];
}

it('production uses no package of the development dependencies', async () => {
  expect(await unlisted(repositoryRoot, ['dependencies'])).toEqual([]);
});

it.each(['client', 'contract', 'dashboard', 'engine', 'jail', 'pdf'])(
  'the manifest of packages/%s lists each package that it imports or bundles',
  async (name) => {
    const folder = join(repositoryRoot, 'packages', name);
    expect(await unlisted(folder, ['dependencies', 'peerDependencies', 'devDependencies'])).toEqual([]);
  },
);

it('the service and the engine use the same version of a package', async () => {
  const [service, engine] = await Promise.all(
    ['', 'packages/engine'].map(async (folder) => {
      const text = await readFile(join(repositoryRoot, folder, 'package.json'), 'utf8');
      return (JSON.parse(text) as { dependencies: Record<string, string> }).dependencies;
    }),
  );
  const shared = Object.keys(engine!).filter((name) => name in service!);
  expect(shared).toEqual(['zod']);
  for (const name of shared) expect(engine![name]).toBe(service![name]);
});

it('npm knows every setting of .npmrc, so that no command of npm prints a warning about it', async () => {
  const { stderr, stdout } = await promisify(execFile)('npm', ['config', 'list'], { cwd: repositoryRoot });
  expect(stdout).toContain('; "project" config');
  expect(stderr).not.toContain('Unknown project config');
});
