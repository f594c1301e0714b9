import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { repositoryRoot } from '../../../test/support/repository.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { JAIL_ERRORS } from '../src/jail-error.ts';

const execute = promisify(execFile);
const readme = await readFile(join(repositoryRoot, 'packages/jail/README.md'), 'utf8');

it('the tarball runs the program of the README in an empty folder', async () => {
  await using folder = await temporaryFolder();
  const [clone, place] = [join(folder.path, 'clone'), join(folder.path, 'place')];
  for (const name of ['packages', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json', 'LICENSE'])
    await cp(join(repositoryRoot, name), join(clone, name), { recursive: true });
  await symlink(join(repositoryRoot, 'node_modules'), join(clone, 'node_modules'));
  await mkdir(place);
  const source = join(clone, 'packages', 'jail');
  const { stdout: packed } = await execute('npm', ['pack', '--pack-destination', place], { cwd: source });
  await execute('npm', ['install', '--offline', `./${packed.trim().split('\n').at(-1)!}`], { cwd: place });
  expect(await readdir(join(place, 'node_modules'))).toEqual(['.package-lock.json', '@burnish']);

  const programs = [...readme.matchAll(/```js file=(\S+)\n(.*?)```/gs)];
  for (const [, name, code] of programs) await writeFile(join(place, name!), code!);
  await writeFile(join(place, 'in.txt'), 'one two three');
  const { stdout } = await execute(process.execPath, ['main.mjs', join(place, 'in.txt')], { cwd: place });
  expect(stdout).toBe('words: 3\n');
}, 180_000);

it('the README names each error, and has at most 350 words', () => {
  const named = [...readme.matchAll(/`([A-Z]+(?:_[A-Z]+)*)`/g)].map(([, code]) => code!);
  expect([...new Set(named)].sort()).toEqual(Object.keys(JAIL_ERRORS).sort());
  const prose = readme.replace(/```.*?```/gs, '');
  expect(prose.split(/\s+/).filter((word) => /\w/.test(word)).length).toBeLessThanOrEqual(350);
});
