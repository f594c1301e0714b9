import { execFile } from 'node:child_process';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { tarballOf } from '../../../test/support/public-packages.ts';
import { repositoryRoot } from '../../../test/support/repository.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { JAIL_ERRORS } from '../src/jail-error.ts';

const execute = promisify(execFile);
const readme = await readFile(join(repositoryRoot, 'packages/jail/README.md'), 'utf8');

it('the tarball runs the program of the README in an empty folder', async () => {
  await using folder = await temporaryFolder();
  const place = folder.path;
  // Children of root run as another user.
  await chmod(place, 0o755);
  await execute('npm', ['install', '--offline', tarballOf('jail')], { cwd: place });
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
