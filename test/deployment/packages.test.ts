import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';

const IMPORT = /(?:^|\n)(?:import|export)\b(?! type\b)[^'";]*?from '([^'.][^']*)'|import\('([^'.][^']*)'\)/g;

it('production uses no package of the development dependencies', async () => {
  const manifest = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const source = join(repositoryRoot, 'src');
  const files = (await readdir(source, { recursive: true }))
    // The dashboard is bundled when it is built.
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts') && !name.startsWith('dashboard/'));
  const missing = new Set<string>();
  for (const name of files) {
    for (const [, from, lazily] of (await readFile(join(source, name), 'utf8')).matchAll(IMPORT)) {
      const path = (from ?? lazily)!;
      if (path.startsWith('node:') || builtinModules.includes(path)) continue;
      const named = path.split('/').slice(0, path.startsWith('@') ? 2 : 1);
      if (!(named.join('/') in manifest.dependencies)) missing.add(`${named.join('/')} in ${name}`);
    }
  }
  expect([...missing]).toEqual([]);
});

it('npm knows every setting of .npmrc, so that no command of npm prints a warning about it', async () => {
  const { stderr, stdout } = await promisify(execFile)('npm', ['config', 'list'], { cwd: repositoryRoot });
  expect(stdout).toContain('; "project" config');
  expect(stderr).not.toContain('Unknown project config');
});
