import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Starts a command that writes half of a file, and waits until it has begun. */
async function halfWritten(folder: string, ...options: string[]) {
  const script = join(import.meta.dirname, 'save-forever.ts');
  const args = ['--import', 'tsx', script, join(folder, 'manifest.csv'), ...options];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^\.manifest\.csv\.\w+\.part$/)]);
  return child;
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends a command and leaves no half-written file',
  async (signal) => {
    await using folder = await temporaryFolder();
    const child = await halfWritten(folder.path);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([null, signal]);
    expect(await readdir(folder.path)).toEqual([]);
  },
);

test('a command that handles the first Ctrl-C keeps its half-written file until the second', async () => {
  await using folder = await temporaryFolder();
  const child = await halfWritten(folder.path, '--handles');
  child.kill('SIGINT');
  await once(child.stdout, 'data');
  expect(await readdir(folder.path)).toHaveLength(1);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([null, 'SIGINT']);
  expect(await readdir(folder.path)).toEqual([]);
});
