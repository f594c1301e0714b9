import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { PUBLIC_PACKAGES, tarballOf } from '../support/public-packages.ts';
import { repositoryRoot } from '../support/repository.ts';

const execute = promisify(execFile);
/** Programs that read a tarball as bundlers, Node.js and compilers do, and end with 1 where one of them fails. */
const CHECKS = [
  ['publint', 'run', '--strict'],
  ['attw', '--format', 'ascii', '--no-color'],
] as const;

test.each(PUBLIC_PACKAGES)(
  'publint and attw find no fault in the tarball of %s',
  async (name) => {
    for (const [program, ...words] of CHECKS) {
      const path = join(repositoryRoot, 'node_modules', '.bin', program);
      const { stdout } = await execute(path, [...words, tarballOf(name)]).catch((error: { stdout: string }) => {
        throw new Error(`${program} found a fault:\n${error.stdout}`);
      });
      expect(stdout).toMatch(/All good|No problems found/);
    }
  },
  60_000,
);
