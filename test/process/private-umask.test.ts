import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { callersUmask } from '../../src/process/private-umask.ts';
import { repositoryRoot } from '../support/repository.ts';

const execute = promisify(execFile);
const SHOW = `data:text/javascript,process.on('exit',()=>console.error('umask',process.umask().toString(8)))`;

test.each(['src/cli.ts', 'src/worker.ts'])('%s hides what it writes from other users', async (entry) => {
  const compiler = join(repositoryRoot, 'scripts/strip-types.mjs');
  const args = ['--import', compiler, '--import', SHOW, join(repositoryRoot, entry), '--help'];
  const { stderr } = await execute(process.execPath, args);
  expect(stderr).toContain('umask 77');
});

test('a module of the command line leaves the umask of its process', async () => {
  const given = process.umask();
  await import('../../src/cli/enhance/enhance.ts');
  expect(process.umask()).toBe(given);
  expect(callersUmask()).toBe(given);
});
