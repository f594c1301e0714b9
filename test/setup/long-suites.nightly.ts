import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const execute = promisify(execFile);

/** A clone whose build of Temporal and whose suite print a line each. */
async function clone(build: string) {
  const folder = await temporaryFolder();
  const write = (name: string, text: string) => writeFile(join(folder.path, name), text);
  await mkdir(join(folder.path, 'scripts'));
  await mkdir(join(folder.path, 'test', 'cluster'), { recursive: true });
  for (const name of ['test-long.mjs', 'process.mjs'])
    await cp(join(repositoryRoot, 'scripts', name), join(folder.path, 'scripts', name));
  await symlink(join(repositoryRoot, 'node_modules'), join(folder.path, 'node_modules'));
  await write('package.json', '{ "type": "module" }');
  await write(
    'scripts/setup.mjs',
    `export const root = ${JSON.stringify(folder.path)};\nexport const setup = async () => {};`,
  );
  await write('scripts/test.mjs', 'console.log("suite", process.env.TEST_SUITE, process.env.TEST_TEMPORAL_CLUSTER);');
  await write('test/cluster/build-temporal.ts', build);
  return {
    run: (...words: string[]) => execute(process.execPath, [join(folder.path, 'scripts/test-long.mjs'), ...words]),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('Temporal is built to its end before the suite, which a slow build cannot time out', async () => {
  await using own = await clone('await new Promise((resolve) => setTimeout(resolve, 1_500));\nconsole.log("built");');
  expect((await own.run('cluster', '--temporal-cluster')).stdout).toBe('built\nsuite cluster 1\n');
  expect((await own.run('cluster')).stdout).toBe('suite cluster undefined\n');
});

test('a failed build of Temporal ends the command in one sentence, without the suite', async () => {
  await using own = await clone('process.exitCode = 1;');
  await expect(own.run('cluster', '--temporal-cluster')).rejects.toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('Temporal could not be built; the reasons are above.') as unknown as string,
  });
});
