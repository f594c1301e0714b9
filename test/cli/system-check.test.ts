import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The head of Node.js on Alpine: its loader is that of musl. */
const MUSL_HEAD = '\x7fELF\x02\x01\x01\0/lib/ld-musl-x86_64.so.1\0';

const SYSTEMS = [
  ['a Mac with Intel', { platform: 'darwin', arch: 'x64' }, 'Burnish has no native code for a Mac with Intel: '],
  ['Alpine', { platform: 'linux', execPath: 'node' }, 'Burnish has no native code for musl, which Alpine uses: '],
] as const;

test.each(SYSTEMS)('the first command ends with one sentence on %s', async (_, system, sentence) => {
  await using folder = await temporaryFolder();
  const path = (name: string): string => join(folder.path, name);
  await mkdir(path('scripts'));
  // Without dist/, anything after the check fails.
  for (const name of ['burnish.cjs', 'process.mjs'])
    await cp(join(repositoryRoot, 'scripts', name), path(join('scripts', name)));
  await writeFile(path('node'), MUSL_HEAD);
  const values = { ...system, ...('execPath' in system && { execPath: path(system.execPath) }) };
  const lines = Object.entries(values).map(
    ([name, value]) => `Object.defineProperty(process, '${name}', { value: ${JSON.stringify(value)} });`,
  );
  await writeFile(path('system.cjs'), lines.join('\n'));
  const words = ['--require', path('system.cjs'), path(join('scripts', 'burnish.cjs')), 'up'];
  const started = promisify(execFile)(process.execPath, words);
  await expect(started).rejects.toMatchObject({ code: 1, stdout: '' });
  const { stderr } = await started.catch((error: { stderr: string }) => error);
  expect(stderr).toMatch(/^[^\n]+\.\n$/);
  expect(stderr.startsWith(sentence)).toBe(true);
});
