import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { openLinks, pagesBelow } from '../support/markdown-links.ts';
import { PUBLIC_PACKAGES, RUNTIME, tarballOf } from '../support/public-packages.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const execute = promisify(execFile);
/** Programs that read a tarball as bundlers, Node.js and compilers do, and end with 1 where one of them fails. */
const PUBLINT = ['publint', 'run', '--strict'] as const;
const ATTW = ['attw', '--format', 'ascii', '--no-color'] as const;

test.each([
  ...PUBLIC_PACKAGES.map((name) => ({ name, checks: [PUBLINT, ATTW] })),
  // Native code has no types.
  { name: RUNTIME, checks: [PUBLINT] },
])(
  'the programs that check packages find no fault in the tarball of $name',
  async ({ name, checks }) => {
    for (const [program, ...words] of checks) {
      const path = join(repositoryRoot, 'node_modules', '.bin', program);
      const { stdout } = await execute(path, [...words, tarballOf(name)]).catch((error: { stdout: string }) => {
        throw new Error(`${program} found a fault:\n${error.stdout}`);
      });
      expect(stdout).toMatch(/All good|No problems found/);
    }
  },
  300_000,
);

test.each([...PUBLIC_PACKAGES, RUNTIME])('the tarball of %s has no dead link', async (name) => {
  await using folder = await temporaryFolder();
  await execute('tar', ['-xzf', tarballOf(name), '-C', folder.path]);
  const place = join(folder.path, 'package');
  const code = name === RUNTIME ? 'onnxruntime_binding.node' : 'dist';
  expect(await readdir(place)).toEqual(expect.arrayContaining(['LICENSE', 'README.md', code, 'package.json']));
  const { dead } = await openLinks(place, await pagesBelow(place));
  expect(dead).toEqual([]);
});

test('npm pack alone, which would pack sources without a build, names the command that makes the package', async () => {
  const packed = execute('npm', ['pack', '--dry-run'], { cwd: join(repositoryRoot, 'packages', 'pdf') });
  const stderr = expect.stringContaining('Run npm run package -- --workspace @burnish/pdf.') as unknown as string;
  await expect(packed).rejects.toMatchObject({ stderr });
});
